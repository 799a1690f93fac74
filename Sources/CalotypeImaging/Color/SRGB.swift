import Glibc

/// The transfer function of IEC 61966-2-1.
enum SRGB {
  /// The light, 0 to 1, by stored value.
  static let light: [Double] = (0..<256).map { light(of: Double($0) / 255) }

  /// Returns the light of a stored value; both 0 to 1.
  static func light(of value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  static func linear(_ value: Int) -> Double { light[value & 255] }

  /// Returns the stored value of light, clamped and rounded.
  static func encoded(_ light: Double) -> UInt8 {
    let v = min(max(light, 0), 1)
    return UInt8((v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055) * 255 + 0.5)
  }
}
