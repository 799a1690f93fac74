import CPixels
import Testing

/// The loop of BMP: all levels, and every width near that of a register.
@Suite struct BMPKernelTests {
  private static let levels = [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512]
    .filter { $0.rawValue <= cpx_best_level().rawValue }

  @Test(
    arguments: [
      (24, [0xFF_0000, 0xFF00, 0xFF, 0]), (32, [0xFF_0000, 0xFF00, 0xFF, 0]),
      (32, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]), (16, [0xF800, 0x07E0, 0x1F, 0]),
    ] as [(Int, [UInt32])])
  func levelsAgree(bits: Int, masks: [UInt32]) {
    var fields = cbmp_fields()
    cbmp_fields_init(&fields, CInt(bits), masks, 0)
    for width in 1...37 {
      let row = (0..<width * bits / 8).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ width) }
      var expected: [UInt8] = []
      for x in 0..<width {
        let word = (0..<bits / 8).reduce(UInt32(0)) {
          $0 | UInt32(row[x * bits / 8 + $1]) << (8 * UInt32($1))
        }
        for (channel, mask) in masks.enumerated() {
          guard mask != 0 else {
            expected.append(channel == 3 ? 255 : 0)
            continue
          }
          let value = (word & mask) >> UInt32(mask.trailingZeroBitCount)
          switch mask.nonzeroBitCount {
          case 5: expected.append(UInt8(value << 3 | value >> 2))
          case 6: expected.append(UInt8(value << 2 | value >> 4))
          default: expected.append(UInt8(value))
          }
        }
      }
      for level in Self.levels {
        var out = [UInt8](repeating: 0, count: 4 * width)
        cbmp_expand(&fields, row, &out, width, level)
        #expect(out == expected, "\(width) pixels, level \(level)")
      }
    }
  }
}
