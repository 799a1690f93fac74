import CPixels

/// The tables between sRGB bytes and linear light of 16 bits (IEC 61966-2-1), made once.
// `@unchecked`: the memory is written before it is published, and never freed.
final class LinearLight: @unchecked Sendable {
  static let shared = LinearLight()

  private let linear = UnsafeMutablePointer<UInt16>.allocate(capacity: 256)
  private let srgb = UnsafeMutablePointer<UInt8>.allocate(capacity: 65536)

  private init() {
    for value in 0..<256 {
      linear[value] = UInt16((65535 * SRGB.light(of: Double(value) / 255)).rounded())
    }
    var start = 0
    for value in 0..<256 {
      // Each byte extends to the midpoint of the encoded scale.
      let end = value == 255 ? 65536 : Int((65535 * SRGB.light(of: (Double(value) + 0.5) / 255)).rounded(.up))
      (srgb + start).initialize(repeating: UInt8(value), count: end - start)
      start = end
    }
  }

  /// The tables for the C code; valid for ever.
  var tables: cpx_light { cpx_light(linear: linear, srgb: srgb) }
}
