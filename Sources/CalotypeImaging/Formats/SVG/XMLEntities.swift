#if SVG
/// The entities that the document type of an XML text declares, as drawing programs write them for the addresses of their
/// name spaces.
///
/// Accepted are replacement texts without markup and references. Entities of entities, parameter entities and those in
/// other files are refused, and so is more text than the limit when all references are replaced by the longest of them.
enum XMLEntities {
  /// Examines a text in UTF-8.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  static func check(_ text: [UInt8], limit: Int) throws(ImagingError) {
    guard case .found(let root) = XMLRootElement.read(text), let range = root.documentType else { return }
    var reader = Reader(text: text[range])
    let longest = try reader.longestEntity()
    guard longest > 0 else { return }
    let references = text[range.upperBound...].count { $0 == 0x26 }
    let (product, overflow) = references.multipliedReportingOverflow(by: longest)
    let total = overflow ? Int.max - text.count : product
    guard total <= limit - text.count else {
      throw .limitExceeded(.text, value: total + text.count, limit: limit)
    }
  }

  /// A cursor over a document type.
  private struct Reader {
    let text: ArraySlice<UInt8>
    var position: Int

    init(text: ArraySlice<UInt8>) {
      self.text = text
      position = text.startIndex
    }

    private var next: UInt8? { position < text.endIndex ? text[position] : nil }

    private func isNext(_ characters: StaticString) -> Bool {
      characters.withUTF8Buffer { text[position...].starts(with: $0) }
    }

    private mutating func skip(past characters: StaticString) {
      while position < text.endIndex, !isNext(characters) { position += 1 }
      position = min(text.endIndex, position + characters.utf8CodeUnitCount)
    }

    private mutating func skipSpaces() {
      while let byte = next, byte <= 0x20 { position += 1 }
    }

    private mutating func skipName() {
      while let byte = next, byte > 0x20, byte != 0x22, byte != 0x27, byte != 0x3E { position += 1 }
    }

    /// Returns the characters up to the quotation mark that ends them.
    private mutating func quoted() -> ArraySlice<UInt8>? {
      guard let mark = next, mark == 0x22 || mark == 0x27 else { return nil }
      let start = position + 1
      guard let end = text[start...].firstIndex(of: mark) else { return nil }
      position = end + 1
      return text[start..<end]
    }

    /// Returns the length of the longest replacement text; 0 without entities.
    mutating func longestEntity() throws(ImagingError) -> Int {
      var longest = 0
      var isInside = false
      while let byte = next {
        if isNext("<!--") {
          position += 4
          skip(past: "-->")
        } else if isNext("<?") {
          skip(past: "?>")
        } else if isNext("<!ENTITY") {
          longest = max(longest, try entity())
        } else if byte == 0x22 || byte == 0x27 {
          if quoted() == nil { position += 1 }
        } else if byte == 0x25, isInside {
          throw Self.refusal("a parameter entity")
        } else {
          if byte == 0x5B { isInside = true }
          position += 1
        }
      }
      return longest
    }

    /// Reads a declaration and returns the length of its replacement text.
    private mutating func entity() throws(ImagingError) -> Int {
      position += 8
      skipSpaces()
      guard next != 0x25 else { throw Self.refusal("a parameter entity") }
      skipName()
      skipSpaces()
      guard let value = quoted() else { throw Self.refusal("an entity in another file") }
      guard !value.contains(where: { [0x25, 0x26, 0x3C].contains($0) }) else {
        throw Self.refusal("an entity with markup or references")
      }
      return value.count
    }

    private static func refusal(_ kind: String) -> ImagingError {
      .corrupt(.svg, reason: "the document type declares \(kind)", offset: nil)
    }
  }
}
#endif
