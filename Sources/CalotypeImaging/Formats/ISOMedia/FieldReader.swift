/// A cursor over the fields of a box, all big-endian. A read beyond its end throws.
package struct FieldReader {
  private let format: ImageFormat
  private let end: Int
  /// The position of the next field.
  package private(set) var position: Int

  /// Creates a reader of the content of a box.
  package init(_ range: Range<Int>, format: ImageFormat) {
    self.format = format
    position = range.lowerBound
    end = range.upperBound
  }

  /// The number of bytes that are left.
  package var count: Int { end - position }

  private mutating func advance(by count: Int) throws(ImagingError) -> Int {
    guard count >= 0, count <= end - position else {
      throw .corrupt(format, reason: "a box ends within its fields", offset: position)
    }
    defer { position += count }
    return position
  }

  /// Skips bytes.
  package mutating func skip(_ count: Int) throws(ImagingError) { _ = try advance(by: count) }

  /// Reads an unsigned number of 0 to 8 bytes.
  package mutating func number(_ bytes: RawSpan, byteCount: Int) throws(ImagingError) -> UInt64 {
    let start = try advance(by: byteCount)
    var value: UInt64 = 0
    for offset in start..<start + byteCount {
      guard let byte = bytes.byte(at: offset) else {
        throw .corrupt(format, reason: "a box ends within its fields", offset: start)
      }
      value = value << 8 | UInt64(byte)
    }
    return value
  }

  /// Reads a number of 1 byte.
  package mutating func byte(_ bytes: RawSpan) throws(ImagingError) -> UInt8 {
    UInt8(truncatingIfNeeded: try number(bytes, byteCount: 1))
  }

  /// Reads a number of 2 bytes.
  package mutating func uint16(_ bytes: RawSpan) throws(ImagingError) -> UInt16 {
    UInt16(truncatingIfNeeded: try number(bytes, byteCount: 2))
  }

  /// Reads a number of 4 bytes.
  package mutating func uint32(_ bytes: RawSpan) throws(ImagingError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(bytes, byteCount: 4))
  }

  /// Reads the identifier of an item, which has 2 or 4 bytes.
  package mutating func itemID(_ bytes: RawSpan, isLong: Bool) throws(ImagingError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(bytes, byteCount: isLong ? 4 : 2))
  }

  /// Reads ASCII up to a zero, to the end of the box, or to 256 characters.
  package mutating func text(_ bytes: RawSpan) -> String {
    var characters: [UInt8] = []
    while position < end, characters.count < 256, let byte = bytes.byte(at: position) {
      position += 1
      if byte == 0 { break }
      characters.append(byte)
    }
    return String(decoding: characters, as: UTF8.self)
  }
}
