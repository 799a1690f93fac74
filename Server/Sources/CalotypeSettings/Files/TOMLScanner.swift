/// Reads the parts of a TOML file, from left to right. No index is used unchecked.
struct TOMLScanner {
  private let bytes: [UInt8]
  private var position = 0
  /// The current line, counted from 1.
  private(set) var line = 1
  /// The depth of inline tables.
  var nesting = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next byte.
  func peek(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  /// Takes the next byte if it is the given one.
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    advance()
    return true
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
  }

  private func fault(_ rule: String, _ remedy: String) -> FileFault {
    FileFault(line: line, rule: rule, remedy: remedy)
  }

  /// Passes over spaces and tabs.
  mutating func skipSpaces() {
    while let byte = peek(), byte == 0x20 || byte == 0x09 { advance() }
  }

  /// Passes over spaces, line ends and comments. Returns `false` at the end of the file.
  mutating func skipToContent() -> Bool {
    while let byte = peek() {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: advance()
      case UInt8(ascii: "#"): skipToLineEnd()
      default: return true
      }
    }
    return false
  }

  private mutating func skipToLineEnd() {
    while let byte = peek(), byte != 0x0A { advance() }
  }

  /// Passes over the rest of the line.
  mutating func skipLine() {
    skipToLineEnd()
    advance()
    nesting = 0
  }

  /// Takes spaces and the given byte.
  mutating func expect(_ byte: UInt8, _ rule: String) throws(FileFault) {
    skipSpaces()
    guard take(byte) else { throw fault(rule, "add \"\(Character(UnicodeScalar(byte)))\"") }
  }

  /// Takes spaces, a comment and the end of the line or of the file.
  mutating func endOfLine() throws(FileFault) {
    skipSpaces()
    if peek() == UInt8(ascii: "#") { skipToLineEnd() }
    _ = take(0x0D)
    guard peek() == nil || take(0x0A) else {
      throw fault("nothing stands behind a value", "begin a new line, or a comment with #")
    }
  }

  /// Takes keys with points between them.
  mutating func keyPath() throws(FileFault) -> [String] {
    var path: [String] = []
    repeat {
      skipSpaces()
      guard path.count < TOMLFile.maxDepth else {
        throw fault("a key has at most \(TOMLFile.maxDepth) parts", "shorten it")
      }
      path.append(try key())
      skipSpaces()
    } while take(UInt8(ascii: "."))
    return path
  }

  private mutating func key() throws(FileFault) -> String {
    if peek() == UInt8(ascii: "\"") { return try string(UInt8(ascii: "\""), isLiteral: false) }
    if peek() == UInt8(ascii: "'") { return try string(UInt8(ascii: "'"), isLiteral: true) }
    let start = position
    while let byte = peek(), Self.isBare(byte) { advance() }
    guard position > start, position - start <= 256 else {
      throw fault("a key is letters, digits, hyphens and underscores, or a string", "write table.key = value")
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || byte == 0x2D
      || byte == 0x5F
  }

  /// Takes an array of single values, with line ends and comments among them.
  mutating func array() throws(FileFault) -> [String] {
    let start = line
    try expect(UInt8(ascii: "["), "")
    var items: [String] = []
    while skipToContent() {
      if take(UInt8(ascii: "]")) { return items }
      guard peek() != UInt8(ascii: "["), peek() != UInt8(ascii: "{") else {
        throw fault("items of an array are single values", "write [\"one\", \"other\"]")
      }
      guard items.count < SettingReader.maxItems else {
        throw fault("an array has at most \(SettingReader.maxItems) items", "give fewer")
      }
      items.append(try scalar())
      guard skipToContent() else { break }
      if take(UInt8(ascii: ",")) { continue }
      guard peek() == UInt8(ascii: "]") else {
        throw fault("items of an array have commas between them", "add one")
      }
    }
    throw FileFault(line: start, rule: "an array ends with a bracket", remedy: "add \"]\"")
  }

  /// Takes a string, number, Boolean or time, as text: numbers in decimal digits, strings without their quotes.
  mutating func scalar() throws(FileFault) -> String {
    skipSpaces()
    for (quote, isLiteral) in [(UInt8(ascii: "\""), false), (UInt8(ascii: "'"), true)] where peek() == quote {
      if peek(1) == quote, peek(2) == quote { return try multilineString(quote, isLiteral: isLiteral) }
      return try string(quote, isLiteral: isLiteral)
    }
    let start = position
    func isToken(_ byte: UInt8) -> Bool { Self.isBare(byte) || "+.:".utf8.contains(byte) }
    while let byte = peek(), isToken(byte) { advance() }
    // A date, a space and a time.
    if position - start == 10, peek() == 0x20, let next = peek(1), (0x30...0x39).contains(next),
      bytes[start + 4] == UInt8(ascii: "-")
    {
      advance()
      while let byte = peek(), isToken(byte) { advance() }
    }
    guard position > start, position - start <= 64,
      let text = Self.number(String(decoding: bytes[start..<position], as: UTF8.self))
    else {
      throw fault("a value is a string, number, Boolean, time or array", "put texts in quotation marks")
    }
    return text
  }

  /// The text of a token that is no string, or `nil`.
  private static func number(_ token: String) -> String? {
    if ["true", "false", "inf", "+inf", "-inf", "nan", "+nan", "-nan"].contains(token) { return token }
    guard let first = token.utf8.first, (0x30...0x39).contains(first) || first == 0x2B || first == 0x2D else {
      return nil
    }
    let digits = token.filter { $0 != "_" }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
      return Int(digits.dropFirst(2), radix: radix).map(String.init)
    }
    return SettingText.real(digits) != nil || Timestamp.read(token) != nil ? digits : nil
  }
}
