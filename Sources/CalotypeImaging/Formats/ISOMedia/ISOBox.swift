/// The header of a box (ISO/IEC 14496-12, 4.2).
package struct ISOBox: Hashable, Sendable {
  /// The type.
  package let type: FourCC
  /// The position of the header.
  package let offset: Int
  /// The positions of the content. It may reach beyond the bytes at hand for a box at the top level.
  package let content: Range<Int>

  /// A Boolean value that indicates whether the box has no length, and reaches to the end of the file: in the first
  /// bytes of a file, more of it may come.
  package let isOpen: Bool

  /// The position behind the box.
  package var end: Int { content.upperBound }

  /// The content without the version and flags of a full box, which has to have them.
  package func fullContent(_ format: ImageFormat) throws(ImagingError) -> Range<Int> {
    guard content.count >= 4 else {
      throw .corrupt(format, reason: "the box \(type) is too short", offset: offset)
    }
    return content.lowerBound + 4..<content.upperBound
  }

  /// Reads the header of the box at an offset.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - offset: The position of the header.
  ///   - end: The end of the parent, which has to hold the box; `nil` at the top level, whose boxes may reach beyond
  ///     the bytes at hand.
  ///   - format: The format to name in errors.
  /// - Returns: The box; `nil` if the header reaches beyond the bytes at hand.
  package static func read(
    _ bytes: RawSpan, at offset: Int, end: Int?, format: ImageFormat
  ) throws(ImagingError) -> ISOBox? {
    guard let size = bytes.uint32(at: offset, bigEndian: true),
      let type = bytes.uint32(at: offset + 4, bigEndian: true)
    else {
      if end == nil { return nil }
      throw .corrupt(format, reason: "a box header does not fit into its parent", offset: offset)
    }
    var start = offset + 8
    var length = Int(size)
    if size == 1 {
      guard let large = bytes.uint64(at: start) else {
        if end == nil { return nil }
        throw .corrupt(format, reason: "a box header does not fit into its parent", offset: offset)
      }
      start += 8
      length = Int(clamping: large)
    } else if size == 0 {
      // The box reaches to the end of the file, or of its parent.
      length = (end ?? max(bytes.byteCount, start)) - offset
    }
    let code = FourCC(rawValue: type)
    if code == FourCC("uuid") { start += 16 }
    let (last, overflow) = offset.addingReportingOverflow(length)
    guard !overflow, last >= start, last <= end ?? .max else {
      throw .corrupt(format, reason: "the box \(code) has an impossible length of \(length)", offset: offset)
    }
    return ISOBox(type: code, offset: offset, content: start..<last, isOpen: size == 0 && end == nil)
  }
}

extension RawSpan {
  /// Reads a big-endian 64-bit number.
  func uint64(at offset: Int) -> UInt64? {
    guard let high = uint32(at: offset, bigEndian: true), let low = uint32(at: offset + 4, bigEndian: true)
    else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }
}
