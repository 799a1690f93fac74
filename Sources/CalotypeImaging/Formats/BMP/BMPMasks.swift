/// The bits of each channel in a word of a pixel.
struct BMPMasks: Hashable, Sendable {
  var red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32

  /// Five bits for each colour.
  static let rgb555 = BMPMasks(red: 0x7C00, green: 0x03E0, blue: 0x001F, alpha: 0)
  /// Five bits for each colour, six for green.
  static let rgb565 = BMPMasks(red: 0xF800, green: 0x07E0, blue: 0x001F, alpha: 0)
  /// A byte for each colour.
  static let rgb888 = BMPMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: 0)

  /// Returns the masks without the bits that a word of this length does not have.
  func trimmed(toBits count: Int) -> BMPMasks {
    let word: UInt32 = count >= 32 ? .max : (1 << UInt32(count)) - 1
    return BMPMasks(red: red & word, green: green & word, blue: blue & word, alpha: alpha & word)
  }

  var all: [UInt32] { [red, green, blue, alpha] }

  /// Returns true if fields are scaled by a division that rounds down. Most decoders agree on that for the two usual
  /// words of 16 bits; for all others, browsers repeat the bits of a field.
  func roundsDown(_ bitsPerPixel: Int) -> Bool {
    bitsPerPixel == 16 && (self == .rgb555 || self == .rgb565)
  }

  /// A Boolean value that indicates whether the bits of each mask are adjacent, and at least one colour has some.
  var isSound: Bool {
    guard red | green | blue != 0 else { return false }
    return all.allSatisfy { mask in
      let bits = mask == 0 ? 0 : mask >> UInt32(mask.trailingZeroBitCount)
      return bits & (bits &+ 1) == 0
    }
  }
}
