/// An entry of a directory: values of one type, at a checked place.
package struct TIFFEntry: Hashable, Sendable {
  /// The type of the values.
  package let type: UInt16
  /// The number of values.
  package let count: Int
  /// The position of the first value.
  package let offset: Int

  /// The number of bytes of one value; `nil` for unknown types.
  package var valueLength: Int? { Self.valueLength(of: type) }

  static func valueLength(of type: UInt16) -> Int? {
    switch type {
    case 1, 2, 6, 7: 1
    case 3, 8: 2
    case 4, 9, 11, 13: 4
    case 5, 10, 12, 16, 17, 18: 8
    default: nil
    }
  }

  /// The range of the values in the file; `nil` if it overflows, or the type is unknown.
  package var range: Range<Int>? {
    guard let valueLength else { return nil }
    let (length, overflow) = count.multipliedReportingOverflow(by: valueLength)
    let (end, overflow2) = offset.addingReportingOverflow(length)
    return overflow || overflow2 ? nil : offset..<end
  }

  /// Returns a value that may be a fraction; `nil` for negative ones, and beyond the values or the bytes.
  func fraction(at index: Int, _ bytes: RawSpan, in file: TIFFFile) -> Double? {
    guard type == 5 else { return integer(at: index, bytes, in: file).map { Double($0) } }
    guard index >= 0, index < count, let range, range.upperBound <= bytes.byteCount,
      let numerator = bytes.uint32(at: offset + 8 * index, bigEndian: file.isBigEndian),
      let denominator = bytes.uint32(at: offset + 8 * index + 4, bigEndian: file.isBigEndian), denominator > 0
    else { return nil }
    return Double(numerator) / Double(denominator)
  }

  /// Returns a value as a number that is not negative; `nil` for other types, and beyond the values or the bytes.
  package func integer(at index: Int = 0, _ bytes: RawSpan, in file: TIFFFile) -> Int? {
    guard index >= 0, index < count, let valueLength else { return nil }
    let (distance, overflow) = index.multipliedReportingOverflow(by: valueLength)
    let (position, overflow2) = offset.addingReportingOverflow(distance)
    guard !overflow, !overflow2 else { return nil }
    switch type {
    case 1, 7: return bytes.byte(at: position).map { Int($0) }
    case 3: return bytes.uint16(at: position, bigEndian: file.isBigEndian).map { Int($0) }
    case 4, 13: return bytes.uint32(at: position, bigEndian: file.isBigEndian).map { Int($0) }
    case 16, 18: return file.long(bytes, at: position).map { Int(clamping: $0) }
    // Signed numbers, which some programs write.
    case 6: return bytes.byte(at: position).flatMap { $0 < 0x80 ? Int($0) : nil }
    case 8:
      return bytes.uint16(at: position, bigEndian: file.isBigEndian).flatMap { $0 < 0x8000 ? Int($0) : nil }
    case 9:
      return bytes.uint32(at: position, bigEndian: file.isBigEndian).flatMap {
        $0 < 0x8000_0000 ? Int($0) : nil
      }
    default: return nil
    }
  }
}
