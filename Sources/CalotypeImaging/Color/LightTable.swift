import CPixels
import Glibc

/// Tables of light.
enum LightTable {
  /// Returns a function for `cpx_light_map`.
  static func function(_ value: (Double) -> Double) -> [Float] {
    let count = Int(cpx_light_count)
    let steps = Int(cpx_light_steps)
    return (0..<count).map { index in
      let place = min(index, count - 2)
      return Float(value(scalbn(1 + Double(place % steps) / Double(steps), place / steps - 24)))
    }
  }

  /// The levels of sRGB by light, for 8 bits.
  static let levels8 = levels(255)
  /// The levels of sRGB by light, for 16 bits.
  static let levels16 = levels(65_535)

  /// The factor of HLG from light of the scene to light of the display relative to white, by luminance of the scene
  /// (OOTF of BT.2100 for a display of 1,000 cd/m²).
  static let hlgGain = function { pow($0, 0.2) * ToneCurve.defaultPeak / ToneCurve.white }

  // Tables of 16 bits take milliseconds, and most pictures need one of these.
  private static let sRGB16 = light(.sRGB, isWide: true, isFullRange: true)
  private static let pq16 = light(.pq, isWide: true, isFullRange: true)
  private static let hlg16 = light(.hlg, isWide: true, isFullRange: true)

  /// Returns the light of each value of a sample, relative to white; of the scene for HLG.
  ///
  /// - Parameters:
  ///   - function: The transfer function.
  ///   - isWide: Pass true for 16 bits, false for 8.
  ///   - isFullRange: Pass false for samples from 16/256 to 235/256.
  static func samples(_ function: TransferFunction, isWide: Bool, isFullRange: Bool) -> [Float] {
    switch (function, isWide && isFullRange) {
    case (.sRGB, true): sRGB16
    case (.pq, true): pq16
    case (.hlg, true): hlg16
    default: light(function, isWide: isWide, isFullRange: isFullRange)
    }
  }

  private static func light(_ function: TransferFunction, isWide: Bool, isFullRange: Bool) -> [Float] {
    let scale = isWide ? 256.0 : 1
    let (start, length) = isFullRange ? (0.0, isWide ? 65_535.0 : 255) : (16 * scale, 219 * scale)
    let unit = function == .pq ? 10_000 / ToneCurve.white : 1
    return (0..<(isWide ? 65_536 : 256)).map { value in
      Float(function.light(of: min(max((Double(value) - start) / length, 0), 1)) * unit)
    }
  }

  private static func levels(_ largest: Double) -> [Float] {
    function { light in
      let value = min(light, 1)
      return Float64((value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055) * largest)
    }
  }
}
