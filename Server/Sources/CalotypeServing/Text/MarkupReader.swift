/// Reads markup from its beginning to its end.
struct MarkupReader {
  private var rest: Substring.UnicodeScalarView
  private var lines: [[MarkupText.Run]] = [[]]
  /// The open elements with the look outside of each.
  private var open: [(name: String, outside: MarkupStyle)] = []
  private var style = MarkupStyle()

  /// The most elements inside of each other.
  private static let deepest = 32
  private static let elements: Set<String> = ["b", "i", "u", "s", "sub", "sup", "span"]

  init(_ text: String) { rest = text[...].unicodeScalars }

  /// Returns the lines of the text.
  mutating func read() throws(MarkupError) -> [[MarkupText.Run]] {
    while let scalar = rest.first {
      switch scalar {
      case "<": try readTag()
      case "&": add(try readEntity())
      case "\r":
        rest.removeFirst()
        if rest.first != "\n" { lines.append([]) }
      case "\n":
        rest.removeFirst()
        lines.append([])
      default:
        try Self.check(scalar)
        add(scalar == "\t" ? " " : scalar)
        rest.removeFirst()
      }
    }
    if let element = open.last {
      throw MarkupError("<\(element.name)> is not closed", remedy: "close it with </\(element.name)>")
    }
    return lines
  }

  /// Refuses characters that no document may have, and those that break lines or change directions unseen.
  private static func check(_ scalar: Unicode.Scalar) throws(MarkupError) {
    switch scalar.value {
    case 9: return
    case 0..<32, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF:
      throw MarkupError(
        "the character U+\(String(scalar.value, radix: 16, uppercase: true)) is not drawn",
        remedy: "leave it out")
    default: return
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    let line = lines.count - 1
    if let last = lines[line].indices.last, lines[line][last].style == style {
      lines[line][last].text.unicodeScalars.append(scalar)
    } else {
      lines[line].append(MarkupText.Run(text: String(scalar), style: style))
    }
  }

  private mutating func readEntity() throws(MarkupError) -> Unicode.Scalar {
    rest.removeFirst()
    let name = String(rest.prefix(10).prefix { $0 != ";" })
    guard rest.dropFirst(name.unicodeScalars.count).first == ";" else {
      throw MarkupError("& begins no entity", remedy: "write it as &amp;")
    }
    rest = rest.dropFirst(name.unicodeScalars.count + 1)
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16)
        : name.hasPrefix("#") ? UInt32(name.dropFirst(), radix: 10) : nil
      guard let number, let scalar = Unicode.Scalar(number) else {
        throw MarkupError("the entity &\(name); is not known", remedy: "write the character itself")
      }
      try Self.check(scalar)
      return scalar
    }
  }

  private mutating func readTag() throws(MarkupError) {
    rest.removeFirst()
    if rest.first == "/" {
      rest.removeFirst()
      let name = readName()
      skipSpace()
      guard rest.popFirst() == ">", let last = open.popLast(), last.name == name else {
        throw MarkupError("</\(name)> closes no open element", remedy: "close elements in reverse order")
      }
      style = last.outside
      return
    }
    let name = readName()
    guard Self.elements.contains(name) else {
      throw MarkupError(
        name.isEmpty ? "< begins no element" : "<\(name)> is not supported",
        remedy: "use \(Self.elements.sorted().joined(separator: ", ")), and write < as &lt;")
    }
    guard open.count < Self.deepest else {
      throw MarkupError("more than \(Self.deepest) elements are open", remedy: "close some")
    }
    open.append((name, style))
    switch name {
    case "b": style.weight = 700
    case "i": style.slope = "italic"
    case "u": style.isUnderlined = true
    case "s": style.isStruck = true
    case "sub": style.shift(by: -0.2)
    case "sup": style.shift(by: 0.35)
    default: break
    }
    try readAttributes(of: name)
  }

  private mutating func readAttributes(of element: String) throws(MarkupError) {
    var names: Set<String> = []
    while true {
      let hasSpace = skipSpace()
      if rest.first == ">" {
        rest.removeFirst()
        return
      }
      let name = readName()
      skipSpace()
      guard hasSpace, !name.isEmpty, rest.popFirst() == "=" else {
        throw MarkupError(
          "<\(element)> does not end", remedy: "close it with >, and give attributes as name=\"value\"")
      }
      skipSpace()
      let value = try readValue(of: name)
      guard element == "span" else {
        throw MarkupError("<\(element)> has the attribute \(name)", remedy: "use span for attributes")
      }
      guard names.insert(name).inserted else {
        throw MarkupError("the attribute \(name) is there twice", remedy: "leave one out")
      }
      try style.apply(name, value)
    }
  }

  private mutating func readValue(of name: String) throws(MarkupError) -> String {
    guard let quote = rest.popFirst(), quote == "\"" || quote == "'" else {
      throw MarkupError("the value of \(name) has no quotes", remedy: "write \(name)=\"value\"")
    }
    let value = rest.prefix { $0 != quote }
    rest = rest[value.endIndex...]
    guard rest.popFirst() == quote else {
      throw MarkupError("the value of \(name) does not end", remedy: "close it with a quotation mark")
    }
    return String(value)
  }

  private mutating func readName() -> String {
    let name = rest.prefix {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
    }
    rest = rest[name.endIndex...]
    return String(String(name).prefix(32))
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let space = rest.prefix { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
    rest = rest[space.endIndex...]
    return !space.isEmpty
  }
}
