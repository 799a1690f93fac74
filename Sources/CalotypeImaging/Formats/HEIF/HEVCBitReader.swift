#if HEIF
/// A cursor over the bits of a parameter set or a slice header of HEVC, without its emulation prevention (ITU-T H.265,
/// 7.3.1.1). A read beyond its end throws.
package struct HEVCBitReader {
  private let bytes: [UInt8]
  private var position = 0

  /// The length of the header of a NAL unit, which is skipped.
  static let headerLength = 2

  /// Reads at most `limit` bytes of a NAL unit.
  package init(_ unit: Range<Int>, of bytes: RawSpan, limit: Int) {
    var payload: [UInt8] = []
    var zeros = 0
    var offset = unit.lowerBound + Self.headerLength
    while offset < unit.upperBound, payload.count < limit, let byte = bytes.byte(at: offset) {
      offset += 1
      // The third byte after two zeros is no data if it is 3.
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    self.bytes = payload
  }

  /// The number of bits that are left.
  private var count: Int { 8 * bytes.count - position }

  /// Skips bits.
  package mutating func skip(_ bitCount: Int) throws(ImagingError) {
    guard bitCount >= 0, bitCount <= count else { throw Self.corrupt("end within their fields") }
    position += bitCount
  }

  /// Reads an unsigned number of 0 to 32 bits.
  package mutating func bits(_ bitCount: Int) throws(ImagingError) -> Int {
    guard bitCount >= 0, bitCount <= count else { throw Self.corrupt("end within their fields") }
    var value = 0
    for index in position..<position + bitCount {
      value = value << 1 | Int(bytes[index >> 3] >> (7 - UInt8(index & 7)) & 1)
    }
    position += bitCount
    return value
  }

  /// Reads a bit.
  package mutating func flag() throws(ImagingError) -> Bool { try bits(1) != 0 }

  /// Reads an unsigned Exp-Golomb number (9.2), at most a limit.
  package mutating func unsigned(upTo limit: Int = Int(UInt32.max)) throws(ImagingError) -> Int {
    var zeros = 0
    while try !flag() {
      zeros += 1
      guard zeros <= 32 else { throw Self.corrupt("have a number of more than 32 bits") }
    }
    let value = (1 << zeros) - 1 + (try bits(zeros))
    guard value <= limit else { throw Self.corrupt("have \(value) where \(limit) is the most") }
    return value
  }

  /// Reads a signed Exp-Golomb number (9.2.2).
  package mutating func signed() throws(ImagingError) -> Int {
    let value = try unsigned()
    return value & 1 != 0 ? (value + 1) / 2 : -(value / 2)
  }

  /// An error of the parameters: "the parameters of HEVC …".
  static func corrupt(_ reason: String) -> ImagingError {
    .corrupt(.heif, reason: "the parameters of HEVC \(reason)", offset: nil)
  }
}
#endif
