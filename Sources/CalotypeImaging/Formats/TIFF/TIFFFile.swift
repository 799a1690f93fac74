/// The header of a TIFF file (TIFF 6.0, section 2; BigTIFF), and the chain of its directories.
package struct TIFFFile: Sendable {
  /// A Boolean value that indicates whether numbers are stored with their highest byte first.
  package let isBigEndian: Bool
  /// A Boolean value that indicates whether counts and offsets have 8 bytes (BigTIFF).
  package let isBig: Bool
  /// The position of the first directory.
  package private(set) var firstOffset: Int

  /// Reads the header; `nil` if it reaches beyond the bytes.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/corrupt(_:reason:offset:)``.
  package init?(_ bytes: RawSpan) throws(ImagingError) {
    guard bytes.byteCount >= 2 else { return nil }
    if bytes.holds("II") {
      isBigEndian = false
    } else if bytes.holds("MM") {
      isBigEndian = true
    } else {
      throw .unrecognizedFormat(hint: nil)
    }
    guard let version = bytes.uint16(at: 2, bigEndian: isBigEndian) else { return nil }
    guard version == 42 || version == 43 else { throw .unrecognizedFormat(hint: nil) }
    isBig = version == 43
    firstOffset = 0
    guard let first = number(bytes, at: isBig ? 8 : 4) else { return nil }
    guard first >= (isBig ? 16 : 8) else {
      throw .corrupt(.tiff, reason: "the first directory is at byte \(first)", offset: isBig ? 8 : 4)
    }
    firstOffset = first
  }

  /// Reads an offset or count of 4 or 8 bytes; `nil` beyond the bytes. Numbers beyond `Int` become its largest.
  func number(_ bytes: RawSpan, at offset: Int) -> Int? {
    guard isBig else { return bytes.uint32(at: offset, bigEndian: isBigEndian).map { Int($0) } }
    return long(bytes, at: offset).map { Int(clamping: $0) }
  }

  /// Reads a number of 8 bytes.
  func long(_ bytes: RawSpan, at offset: Int) -> UInt64? {
    let (next, overflow) = offset.addingReportingOverflow(4)
    guard !overflow, let first = bytes.uint32(at: offset, bigEndian: isBigEndian),
      let second = bytes.uint32(at: next, bigEndian: isBigEndian)
    else { return nil }
    return isBigEndian ? UInt64(first) << 32 | UInt64(second) : UInt64(second) << 32 | UInt64(first)
  }
}
