/// The beginning of a text that may be markup, as UTF-8: plain, UTF-16, or compressed by gzip.
package struct MarkupText {
  /// The text without byte order mark.
  package let bytes: [UInt8]
  /// A Boolean value that indicates whether the text was cut at the limit, so that a longer input would not show more
  /// of it.
  package let isCut: Bool

  /// Reads the beginning of an input; `nil` if it is binary.
  ///
  /// - Parameters:
  ///   - input: The first bytes of the input.
  ///   - limit: The largest number of bytes to read of the input, and to inflate.
  package init?(_ input: RawSpan, limit: Int) {
    guard Self.mayBeMarkup(input) else { return nil }
    let start = input.extracting(first: limit)
    if start.holds([0x1F, 0x8B]) {
      let inflated = InflatedText(start, limit: limit)
      if inflated.bytes.isEmpty, inflated.end == .damage || inflated.end == .complete { return nil }
      bytes = Self.utf8(inflated.bytes.span.bytes)
      isCut = inflated.bytes.count >= limit || input.byteCount >= limit
    } else {
      bytes = Self.utf8(start)
      isCut = input.byteCount >= limit
    }
  }

  /// Returns false for most binary formats by their first bytes.
  private static func mayBeMarkup(_ input: RawSpan) -> Bool {
    switch input.byte(at: 0) {
    case 0x3C, 0x20, 0x09, 0x0A, 0x0D: true
    case 0xEF: input.holds([0xEF, 0xBB, 0xBF])
    case 0x1F: input.holds([0x1F, 0x8B, 8])
    case 0xFF: input.holds([0xFF, 0xFE])
    case 0xFE: input.holds([0xFE, 0xFF])
    case 0x00: input.holds([0x00, 0x3C])
    default: false
    }
  }

  /// Returns true if the text is in UTF-16, by its byte order mark or its first character.
  static func isUTF16(_ input: RawSpan) -> Bool {
    input.holds([0xFF, 0xFE]) || input.holds([0xFE, 0xFF]) || input.holds([0x3C, 0x00])
      || input.holds([0x00, 0x3C])
  }

  /// Returns the text in UTF-8 without byte order mark; unchanged if it is not in UTF-16.
  static func utf8(_ input: RawSpan) -> [UInt8] {
    if isUTF16(input) {
      return utf16(input, bigEndian: input.holds([0xFE, 0xFF]) || input.holds([0x00, 0x3C]))
    }
    let start = input.holds([0xEF, 0xBB, 0xBF]) ? 3 : 0
    return input.extracting(droppingFirst: start).withUnsafeBytes { Array($0) }
  }

  private static func utf16(_ input: RawSpan, bigEndian: Bool) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(input.byteCount / 2)
    for offset in stride(from: 0, to: input.byteCount - 1, by: 2) {
      guard let unit = input.uint16(at: offset, bigEndian: bigEndian) else { break }
      if offset > 0 || unit != 0xFEFF { units.append(unit) }
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
