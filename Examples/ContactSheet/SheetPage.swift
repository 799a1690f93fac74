import Calotype

/// The page: text made of entries, without scripts.
struct SheetPage {
  let title: String
  let entries: [SheetEntry]

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(Self.escaped(title))</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    <h1>\(Self.escaped(title))</h1>
    <ul>
    \(entries.map(Self.item).joined(separator: "\n"))
    </ul>
    </body>
    </html>

    """
  }

  /// The size stands in the page, so that nothing moves when pictures arrive.
  private static func item(_ entry: SheetEntry) -> String {
    let (width, height) = (entry.box.width, entry.box.height)
    let style = entry.placeholder.map { " style=\"background:\($0)\"" } ?? ""
    return """
      <li><figure>
      <img src="\(escaped(entry.source))" srcset="\(escaped(entry.doubleSource)) 2x" width="\(width)" height="\(height)" \
      alt="\(escaped(entry.alternative))" loading="lazy" decoding="async"\(style)>
      <figcaption>\(escaped(entry.name))<small>\(escaped(entry.facts.joined(separator: " · ")))</small></figcaption>
      </figure></li>
      """
  }

  private static let style = """
    :root { color-scheme: light dark; --page: #fafafa; --text: #1c1c1e; --quiet: #5f5f66; }
    @media (prefers-color-scheme: dark) { :root { --page: #161618; --text: #ececee; --quiet: #a0a0a8; } }
    body { margin: 2rem; background: var(--page); color: var(--text); font: 1rem/1.4 system-ui, sans-serif; }
    h1 { font-size: 1.4rem; }
    ul { display: flex; flex-wrap: wrap; gap: 1.5rem; margin: 0; padding: 0; list-style: none; align-items: end; }
    figure { margin: 0; width: 240px; }
    img { display: block; max-width: 100%; height: auto; border-radius: 6px; }
    figcaption { margin-top: .5rem; overflow-wrap: anywhere; }
    small { display: block; color: var(--quiet); }
    """

  /// Text for elements and for attributes in quotes. Names of files come from anyone.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }
}
