import CalotypeResults

/// Steps over the parts of a document in front of its root element.
struct MarkupScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var rest: ArraySlice<UInt8> { bytes[position...] }

  /// Returns whether the rest begins with a text.
  func starts(with text: String) -> Bool { rest.starts(with: text.utf8) }

  /// Steps over bytes if they are there.
  mutating func skip(_ prefix: [UInt8]) { if rest.starts(with: prefix) { position += prefix.count } }

  /// Steps over everything up to the end of a mark, and returns it; `nil` if the mark is not there.
  mutating func text(upTo mark: String) -> String? {
    let mark = Array(mark.utf8)
    var next = position
    while next + mark.count <= bytes.count {
      if bytes[next] == mark[0], bytes[next...].starts(with: mark) {
        defer { position = next + mark.count }
        return String(decoding: bytes[position..<next], as: UTF8.self)
      }
      next += 1
    }
    return nil
  }

  /// Steps over space, comments, instructions and the document type.
  ///
  /// - Throws: ``Failure`` if one of them does not end, or something else is there.
  mutating func skipToRoot() throws(Failure) {
    while position < bytes.count {
      if bytes[position] <= 0x20 {
        position += 1
      } else if starts(with: "<!--") {
        position += 4
        try require(text(upTo: "-->"))
      } else if starts(with: "<?") {
        try require(text(upTo: "?>"))
      } else if starts(with: "<!DOCTYPE") {
        try skipDocumentType()
      } else {
        return
      }
    }
  }

  private func require(_ part: String?) throws(Failure) {
    if part == nil { throw StyledDrawing.unsupported("has a part that does not end; repair it") }
  }

  /// Steps over `<!DOCTYPE … [ … ]>` with its quoted texts, comments and instructions.
  private mutating func skipDocumentType() throws(Failure) {
    position += "<!DOCTYPE".utf8.count
    var (isInside, depth) = (false, 0)
    while position < bytes.count {
      let byte = bytes[position]
      if starts(with: "<!--") {
        position += 4
        try require(text(upTo: "-->"))
        continue
      }
      if starts(with: "<?") {
        try require(text(upTo: "?>"))
        continue
      }
      position += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        try require(text(upTo: String(UnicodeScalar(byte))))
      case UInt8(ascii: "["): isInside = true
      case UInt8(ascii: "]"): isInside = false
      case UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">"):
        if depth == 0, !isInside { return }
        depth = max(0, depth - 1)
      default: break
      }
    }
    throw StyledDrawing.unsupported("has a document type that does not end; repair it")
  }

  /// Reads a start tag; `nil` if there is none, or if it does not end.
  func tag() -> (name: String, end: Int, isEmpty: Bool)? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "<") else { return nil }
    let name = bytes[(position + 1)...].prefix { $0 > 0x20 && !"/><\"'=&".utf8.contains($0) }
    guard !name.isEmpty else { return nil }
    var (next, quote) = (name.endIndex, UInt8?.none)
    while next < bytes.count {
      let byte = bytes[next]
      next += 1
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "<"): return nil
      case UInt8(ascii: ">"):
        return (String(decoding: name, as: UTF8.self), next, bytes[next - 2] == UInt8(ascii: "/"))
      default: break
      }
    }
    return nil
  }
}
