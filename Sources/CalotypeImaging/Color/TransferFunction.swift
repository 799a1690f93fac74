import Glibc

/// A transfer function of ITU-T H.273, table 3: from samples to light.
enum TransferFunction: Hashable, Sendable {
  /// The curve of sRGB, also for the camera curves of BT.709 and its relatives, which displays show so.
  case sRGB
  case linear
  /// An exponent that decodes light.
  case gamma(Double)
  /// BT.2100 PQ (SMPTE ST 2084).
  case pq
  /// BT.2100 HLG (ARIB STD-B67).
  case hlg

  /// Returns `nil` for code points without a known curve.
  init?(codePoint: UInt8) {
    switch codePoint {
    case 1, 2, 6, 13, 14, 15: self = .sRGB
    case 4: self = .gamma(2.2)
    case 5: self = .gamma(2.8)
    case 8: self = .linear
    case 16: self = .pq
    case 18: self = .hlg
    default: return nil
    }
  }

  /// A Boolean value that indicates whether light may be brighter than white.
  var isHighDynamicRange: Bool { self == .pq || self == .hlg }

  /// Returns the light of a sample from 0 to 1: in units of 10,000 cd/m² for PQ, light of the scene for HLG, and of the
  /// display for all others; 0 to 1.
  func light(of sample: Double) -> Double {
    switch self {
    case .sRGB: SRGB.light(of: sample)
    case .linear: sample
    case .gamma(let exponent): pow(sample, exponent)
    case .pq: PQ.light(of: sample)
    case .hlg:
      sample <= 0.5 ? sample * sample / 3 : (exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }
  }
}

/// The transfer function of BT.2100 PQ, in units of 10,000 cd/m².
enum PQ {
  private static let m1 = 2610.0 / 16384
  private static let m2 = 2523.0 / 32
  private static let c1 = 3424.0 / 4096
  private static let c2 = 2413.0 / 128
  private static let c3 = 2392.0 / 128

  /// Returns the light of a sample (EOTF); both 0 to 1.
  static func light(of sample: Double) -> Double {
    let power = pow(sample, 1 / m2)
    return pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }

  /// Returns the sample of light (inverse EOTF); both 0 to 1.
  static func encoded(_ light: Double) -> Double {
    let power = pow(light, m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }
}
