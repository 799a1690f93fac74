/// A reader of the bits of a JPEG XL codestream (ISO/IEC 18181-1, annex A and B), lowest bit first.
struct JXLBitReader {
  /// The bytes end within the header.
  struct End: Error {}

  /// A way to code a number: a number of bits, added to an offset.
  struct Choice {
    let offset: UInt32
    let bits: Int

    init(_ offset: UInt32, _ bits: Int = 0) {
      (self.offset, self.bits) = (offset, bits)
    }
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads an unsigned number of up to 32 bits.
  mutating func bits(_ count: Int) throws(End) -> UInt32 {
    guard count <= bytes.count * 8 - position else { throw End() }
    var value: UInt32 = 0
    for index in 0..<count {
      let bit = bytes[position >> 3] >> UInt8(position & 7) & 1
      value |= UInt32(bit) << UInt32(index)
      position += 1
    }
    return value
  }

  mutating func skip(_ count: Int) throws(End) {
    guard count >= 0, count <= bytes.count * 8 - position else { throw End() }
    position += count
  }

  mutating func flag() throws(End) -> Bool { try bits(1) == 1 }

  /// Reads a number in one of four ways. Sums wrap, as no valid one overflows.
  mutating func number(_ a: Choice, _ b: Choice, _ c: Choice, _ d: Choice) throws(End) -> UInt32 {
    let choice =
      switch try bits(2) {
      case 0: a
      case 1: b
      case 2: c
      default: d
      }
    return choice.offset &+ (try bits(choice.bits))
  }

  /// Reads the value of an enumeration.
  mutating func enumeration() throws(End) -> UInt32 {
    try number(Choice(0), Choice(1), Choice(2, 4), Choice(18, 6))
  }
}
