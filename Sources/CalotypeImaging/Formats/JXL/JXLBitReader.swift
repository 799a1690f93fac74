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

  private let bytes: UnsafeRawBufferPointer
  private var position: Int

  /// Creates a reader that begins with a byte and is used while the bytes are valid.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
    self.bytes = bytes
    position = offset * 8
  }

  /// The number of bytes that are read, with the one that is begun.
  var byteOffset: Int { (position + 7) / 8 }

  /// Skips the rest of the byte that is begun.
  mutating func align() { position = byteOffset * 8 }

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

  /// Reads an unsigned number of up to 64 bits.
  mutating func longNumber() throws(End) -> UInt64 {
    switch try bits(2) {
    case 0: return 0
    case 1: return 1 + UInt64(try bits(4))
    case 2: return 17 + UInt64(try bits(8))
    default: break
    }
    var value = UInt64(try bits(12))
    var shift: UInt64 = 12
    while try flag() {
      value |= UInt64(try bits(shift == 60 ? 4 : 8)) << shift
      if shift == 60 { break }
      shift += 8
    }
    return value
  }

  /// Skips the extensions at the end of a bundle of fields.
  mutating func skipExtensions() throws(End) {
    let extensions = try longNumber()
    var total: UInt64 = 0
    for _ in 0..<extensions.nonzeroBitCount {
      let (sum, overflow) = total.addingReportingOverflow(try longNumber())
      guard !overflow else { throw End() }
      total = sum
    }
    guard let count = Int(exactly: total) else { throw End() }
    try skip(count)
  }

  /// Reads the value of an enumeration.
  mutating func enumeration() throws(End) -> UInt32 {
    try number(Choice(0), Choice(1), Choice(2, 4), Choice(18, 6))
  }
}
