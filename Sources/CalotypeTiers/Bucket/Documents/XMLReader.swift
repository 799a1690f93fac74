/// Reads the XML of S3's answers, event by event, within fixed limits: the input is hostile.
///
/// Elements, text, the five named entities, character references and CDATA are read; attributes, comments and processing
/// instructions are skipped; a document type, which could define entities, is refused (XML 1.0, fifth edition). Pure.
struct XMLReader {
  /// A part of a document.
  enum Event: Equatable {
    /// A start tag, by its local name. An empty element has an end, too.
    case start(String)
    /// Text, with entities replaced. Adjoining pieces may come separately.
    case text(String)
    /// The end tag of the innermost element.
    case end(String)
  }

  /// Why a document is refused.
  struct Malformed: Error, Equatable {
    let reason: String
  }

  /// The most bytes of a document.
  static let maxLength = 4 << 20
  /// The most elements within each other.
  static let maxDepth = 16
  /// The most bytes of a name, prefix included.
  static let maxNameLength = 128
  /// The most bytes of a piece of text.
  static let maxTextLength = 16 << 10

  private let bytes: [UInt8]
  private var offset = 0
  /// The open elements, by their complete names.
  private var open: [ArraySlice<UInt8>] = []
  private var hasRoot = false
  /// The end of an empty element, still to be reported.
  private var pendingEnd: String?

  /// - Throws: ``Malformed`` when there are too many bytes.
  init(_ bytes: [UInt8]) throws(Malformed) {
    guard bytes.count <= Self.maxLength else { throw Malformed(reason: "more than \(Self.maxLength) bytes") }
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// Reads the next part; `nil` at the end of a complete document.
  mutating func next() throws(Malformed) -> Event? {
    if let name = pendingEnd.take() { return .end(name) }
    while offset < bytes.count {
      if bytes[offset] != UInt8(ascii: "<") {
        if let text = try text() { return .text(text) }
        continue
      }
      if skips("<?") {
        try skip(past: "?>")
      } else if skips("<!--") {
        try skip(past: "-->")
      } else if skips("<![CDATA[") {
        return .text(try characterData())
      } else if skips("</") {
        return .end(try endTag())
      } else if bytes[offset...].starts(with: "<!".utf8) {
        throw Malformed(reason: "a document type")
      } else {
        offset += 1
        return .start(try startTag())
      }
    }
    guard hasRoot, open.isEmpty else { throw Malformed(reason: "it ends early") }
    return nil
  }

  // MARK: Tags

  private mutating func startTag() throws(Malformed) -> String {
    guard !hasRoot || !open.isEmpty else { throw Malformed(reason: "a second root") }
    guard open.count < Self.maxDepth else { throw Malformed(reason: "too many elements within each other") }
    hasRoot = true
    let name = try name()
    while true {
      skipSpace()
      guard offset < bytes.count else { throw Malformed(reason: "it ends in a tag") }
      switch bytes[offset] {
      case UInt8(ascii: ">"):
        offset += 1
        open.append(name)
        return Self.local(name)
      case UInt8(ascii: "/"):
        guard skips("/>") else { throw Malformed(reason: "a slash in a tag") }
        pendingEnd = Self.local(name)
        return Self.local(name)
      default: try skipAttribute()
      }
    }
  }

  private mutating func endTag() throws(Malformed) -> String {
    let name = try name()
    skipSpace()
    guard skips(">") else { throw Malformed(reason: "an end tag with more than a name") }
    guard let last = open.popLast(), last == name else {
      throw Malformed(reason: "an end tag without its start")
    }
    return Self.local(name)
  }

  private mutating func skipAttribute() throws(Malformed) {
    _ = try name()
    skipSpace()
    guard skips("=") else { throw Malformed(reason: "an attribute without a value") }
    skipSpace()
    guard offset < bytes.count else { throw Malformed(reason: "it ends in a tag") }
    let quote = bytes[offset]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = bytes[(offset + 1)...].firstIndex(of: quote)
    else { throw Malformed(reason: "an attribute without quotes") }
    guard !bytes[offset..<end].contains(UInt8(ascii: "<")) else {
      throw Malformed(reason: "a tag in an attribute")
    }
    offset = end + 1
  }

  private mutating func name() throws(Malformed) -> ArraySlice<UInt8> {
    let name = bytes[offset...].prefix { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: ":")).contains(byte)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte >= 0x80
    }
    guard !name.isEmpty, name.count <= Self.maxNameLength else { throw Malformed(reason: "a bad name") }
    offset = name.endIndex
    return name
  }

  private static func local(_ name: ArraySlice<UInt8>) -> String {
    let start = name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.startIndex
    return String(decoding: name[start...], as: UTF8.self)
  }

  // MARK: Text

  /// Reads text up to the next tag; `nil` for space outside of the root.
  private mutating func text() throws(Malformed) -> String? {
    let raw = bytes[offset...].prefix { $0 != UInt8(ascii: "<") }
    offset = raw.endIndex
    guard !open.isEmpty else {
      if raw.allSatisfy(Self.isSpace) { return nil }
      throw Malformed(reason: "text outside of the root")
    }
    guard raw.count <= Self.maxTextLength else { throw Malformed(reason: "a long text") }
    guard raw.contains(UInt8(ascii: "&")) else { return try Self.string(raw) }
    var result: [UInt8] = []
    var rest = raw
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&") else {
        result.append(byte)
        continue
      }
      guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
        let character = Self.character(rest[..<end])
      else { throw Malformed(reason: "an unknown entity") }
      result += character
      rest = rest[(end + 1)...]
    }
    return try Self.string(result[...])
  }

  private mutating func characterData() throws(Malformed) -> String {
    let start = offset
    try skip(past: "]]>")
    guard !open.isEmpty else { throw Malformed(reason: "text outside of the root") }
    let raw = bytes[start..<(offset - 3)]
    guard raw.count <= Self.maxTextLength else { throw Malformed(reason: "a long text") }
    return try Self.string(raw)
  }

  /// The bytes of the character that an entity stands for.
  private static func character(_ entity: ArraySlice<UInt8>) -> [UInt8]? {
    switch String(decoding: entity, as: UTF8.self) {
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "amp": return [UInt8(ascii: "&")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    case let text where text.hasPrefix("#"):
      let isHex = text.hasPrefix("#x")
      let digits = text.dropFirst(isHex ? 2 : 1)
      guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let value = UInt32(digits, radix: isHex ? 16 : 10), value != 0, let scalar = Unicode.Scalar(value)
      else { return nil }
      return Array(String(Character(scalar)).utf8)
    default: return nil
    }
  }

  private static func string(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Malformed(reason: "it is not UTF-8")
    }
    return text
  }

  // MARK: Positions

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

  private mutating func skipSpace() {
    while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
  }

  private mutating func skips(_ text: StaticString) -> Bool {
    let isNext = text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    if isNext { offset += text.utf8CodeUnitCount }
    return isNext
  }

  private mutating func skip(past text: StaticString) throws(Malformed) {
    let end = text.withUTF8Buffer { mark in
      var index = offset
      while index + mark.count <= bytes.count {
        if bytes[index] == mark[0], bytes[index...].starts(with: mark) { return index + mark.count }
        index += 1
      }
      return -1
    }
    guard end >= 0 else { throw Malformed(reason: "it ends early") }
    offset = end
  }
}
