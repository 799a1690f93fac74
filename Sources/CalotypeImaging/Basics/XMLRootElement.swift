/// The root element of an XML text, found behind the declaration, comments, instructions and the document type.
///
/// This is no XML parser: it goes no further than the first start tag, resolves no entity, and takes one pass.
package struct XMLRootElement {
  /// The result of reading the beginning of a text.
  package enum Reading {
    case found(XMLRootElement)
    /// The text ends first; the name of the root element, if that is there.
    case incomplete(name: String?)
    /// The text is not XML.
    case notXML
  }

  /// An attribute, as written.
  package struct Attribute {
    package let name: String
    package let value: String
  }

  /// The name, with its prefix.
  package let name: String
  /// The attributes, in order.
  package let attributes: [Attribute]
  /// The place of the document type, if there is one.
  package let documentType: Range<Int>?

  /// Returns the value of the first attribute of this name.
  package func value(of name: String) -> String? {
    attributes.first { $0.name == name }?.value
  }

  /// Reads the beginning of a text.
  package static func read(_ text: [UInt8]) -> Reading {
    var reader = Reader(text: text)
    do throws(Reader.Stop) {
      return .found(try reader.root())
    } catch {
      switch error {
      case .end: return .incomplete(name: reader.name)
      case .notXML: return .notXML
      }
    }
  }
}

/// A cursor over the bytes of a text.
private struct Reader {
  enum Stop: Error {
    case end, notXML
  }

  let text: [UInt8]
  var position = 0
  /// The name of the root element, once it is complete.
  var name: String?
  /// The place of the document type.
  private var documentType: Range<Int>?

  init(text: [UInt8]) {
    self.text = text
  }

  private func byte() throws(Stop) -> UInt8 {
    guard position < text.count else { throw .end }
    return text[position]
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private mutating func skipSpaces() throws(Stop) {
    while Self.isSpace(try byte()) { position += 1 }
  }

  /// Returns whether these characters are next; the end of the text within them ends the reading.
  private func isNext(_ characters: StaticString) throws(Stop) -> Bool {
    var offset = position
    var isEqual = true
    var isAtEnd = false
    characters.withUTF8Buffer { wanted in
      for character in wanted {
        guard offset < text.count else {
          isAtEnd = true
          return
        }
        guard text[offset] == character else {
          isEqual = false
          return
        }
        offset += 1
      }
    }
    if isAtEnd { throw .end }
    return isEqual
  }

  /// Moves behind the next occurrence of these characters.
  private mutating func skip(past characters: StaticString) throws(Stop) {
    while try !isNext(characters) { position += 1 }
    position += characters.utf8CodeUnitCount
  }

  mutating func root() throws(Stop) -> XMLRootElement {
    while true {
      try skipSpaces()
      guard try byte() == 0x3C else { throw .notXML }
      if try isNext("<?") {
        try skip(past: "?>")
      } else if try isNext("<!--") {
        position += 4
        try skip(past: "-->")
      } else if try isNext("<!") {
        let start = position
        try skipDocumentType()
        documentType = (documentType?.lowerBound ?? start)..<position
      } else {
        position += 1
        return try element()
      }
    }
  }

  /// Skips `<!DOCTYPE …>` with quoted names and an internal subset.
  private mutating func skipDocumentType() throws(Stop) {
    // Upper case in XML; HTML pages, whose root element tells them apart, have both.
    let isUpper = try isNext("<!DOCTYPE")
    let isLower = try isNext("<!doctype")
    guard isUpper || isLower else { throw .notXML }
    var isInside = false
    while true {
      let next = try byte()
      switch next {
      case 0x22, 0x27:
        position += 1
        try skipTo(next)
        position += 1
      case 0x5B:
        isInside = true
        position += 1
      case 0x5D:
        isInside = false
        position += 1
      case 0x3C where isInside:
        if try isNext("<!--") {
          position += 4
          try skip(past: "-->")
        } else if try isNext("<?") {
          try skip(past: "?>")
        } else {
          position += 1
        }
      case 0x3E where !isInside:
        position += 1
        return
      default:
        position += 1
      }
    }
  }

  private mutating func skipTo(_ wanted: UInt8) throws(Stop) {
    while try byte() != wanted { position += 1 }
  }

  private func string(from start: Int) -> String {
    String(decoding: text[start..<position], as: UTF8.self)
  }

  /// Reads a name up to the character behind it.
  private mutating func readName() throws(Stop) -> String {
    let start = position
    while true {
      let next = try byte()
      if Self.isSpace(next) || next == 0x2F || next == 0x3E || next == 0x3D { break }
      // Control characters and markup are no part of a name.
      guard next > 0x20, next != 0x3C, next != 0x22, next != 0x27 else { throw .notXML }
      position += 1
    }
    guard position > start else { throw .notXML }
    return string(from: start)
  }

  private mutating func element() throws(Stop) -> XMLRootElement {
    let first = try byte()
    guard first >= 0x80 || first == 0x3A || first == 0x5F || (0x61...0x7A).contains(first | 0x20) else {
      throw .notXML
    }
    let elementName = try readName()
    name = elementName
    var attributes: [XMLRootElement.Attribute] = []
    while true {
      try skipSpaces()
      let next = try byte()
      if next == 0x3E || next == 0x2F {
        return XMLRootElement(name: elementName, attributes: attributes, documentType: documentType)
      }
      let attribute = try readName()
      try skipSpaces()
      guard try byte() == 0x3D else { throw .notXML }
      position += 1
      try skipSpaces()
      let quote = try byte()
      guard quote == 0x22 || quote == 0x27 else { throw .notXML }
      position += 1
      let start = position
      try skipTo(quote)
      attributes.append(.init(name: attribute, value: string(from: start)))
      position += 1
    }
  }
}
