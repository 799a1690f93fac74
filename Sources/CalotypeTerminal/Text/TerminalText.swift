/// Text as it stands in the cells of a terminal: harmless (``SanitizedText``), wide characters counted twice.
package struct TerminalText {
  private(set) var text = ""
  private(set) var width = 0
  /// Marks since the last letter.
  private var marks = 0

  /// As much of the end of `text` as fits, behind an ellipsis if that is not all.
  package static func tail(of text: String, cells: Int) -> TerminalText {
    let whole = TerminalText(text)
    if whole.width <= cells { return whole }
    guard cells > 0 else { return TerminalText("") }
    var kept: [Unicode.Scalar] = []
    var width = 1
    for scalar in whole.text.unicodeScalars.reversed() {
      width += Self.cells(of: scalar)
      if width > cells { break }
      kept.append(scalar)
    }
    // A mark without its letter would go to the ellipsis.
    while let first = kept.last, Self.cells(of: first) == 0 { kept.removeLast() }
    var tail = TerminalText("…")
    for scalar in kept.reversed() { tail.append(scalar) }
    return tail
  }

  /// As much of the beginning of `text` as fits, an ellipsis behind if that is not all.
  package static func head(of text: String, cells: Int) -> TerminalText {
    let whole = TerminalText(text)
    if whole.width <= cells { return whole }
    var head = TerminalText("")
    for scalar in whole.text.unicodeScalars {
      guard head.width + Self.cells(of: scalar) < cells else { break }
      head.append(scalar)
    }
    if cells > 0 { head.append("…") }
    return head
  }

  /// The text in lines of at most so many cells, broken at spaces where there are any.
  package static func lines(of text: String, cells: Int) -> [TerminalText] {
    var lines: [TerminalText] = []
    var line = TerminalText("")
    for word in TerminalText(text).text.split(separator: " ") {
      var word = TerminalText(String(word))
      if line.width > 0, line.width + 1 + word.width <= cells {
        line = TerminalText(line.text + " " + word.text)
        continue
      }
      if line.width > 0 { lines.append(line) }
      while word.width > cells {
        // Without the ellipsis of a text that ends.
        var part = TerminalText("")
        var rest = word.text.unicodeScalars[...]
        while let next = rest.first, part.width == 0 || part.width + Self.cells(of: next) <= cells {
          // There may be no room for a wide one.
          part.append(Self.cells(of: next) > cells ? "?" : next)
          rest.removeFirst()
        }
        lines.append(part)
        word = TerminalText(String(String.UnicodeScalarView(rest)))
      }
      line = word
    }
    return line.width > 0 ? lines + [line] : lines
  }

  package init(_ text: String) {
    for scalar in SanitizedText.escaped(text).unicodeScalars { append(scalar) }
  }

  /// With spaces behind it.
  package func padded(to cells: Int) -> String { text + String(repeating: " ", count: max(0, cells - width)) }

  private mutating func append(_ scalar: Unicode.Scalar) {
    // Joiners and selectors: terminals do not agree on their width.
    if SanitizedText.shapes(scalar) { return }
    // Nor how wide flags are, and characters that are not known yet.
    let isVague =
      scalar.properties.generalCategory == .unassigned || (0x1f1e6...0x1f1ff).contains(scalar.value)
    let cells = isVague ? 1 : Self.cells(of: scalar)
    marks = cells == 0 ? marks + 1 : 0
    // More marks than languages have are left out.
    if cells == 0, marks > 2 || width == 0 { return }
    text.unicodeScalars.append(isVague ? "?" : scalar)
    width += cells
  }

  private static func cells(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    // East Asian wide characters (UAX #11), and all that are shown as pictographs.
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3,
      0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6,
      0x16fe0...0x18cff, 0x1aff0...0x1b2ff, 0x1f200...0x1f265, 0x1f300...0x1f64f,
      0x1f680...0x1f6ff, 0x1f7e0...0x1f7f0, 0x1f900...0x1faff, 0x20000...0x3fffd:
      return 2
    default:
      return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}
