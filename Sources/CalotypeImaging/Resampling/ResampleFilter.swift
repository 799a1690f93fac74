import Glibc

/// The reconstruction filter of a resize: the radius and the weights of an output pixel.
///
/// For shrinking, filters are stretched by the factor, so that all source pixels count and nothing aliases.
public enum ResampleFilter: String, Hashable, Sendable, CaseIterable, Codable {
  /// Windowed sinc of radius 3 (Duchon 1979): the sharpest.
  case lanczos3
  /// Windowed sinc of radius 2: nearly as sharp, with less ringing.
  case lanczos2
  /// Catmull-Rom spline: the cubic of Keys 1981 with a = -½. Sharp, with less ringing than ``lanczos3``.
  case bicubic
  /// The cubic of Mitchell and Netravali 1988 with B = C = ⅓. Soft, with hardly any ringing.
  case mitchell
  /// Linear interpolation; a triangle for shrinking. Never overshoots.
  case bilinear
  /// The mean of the pixels below an output pixel; the nearest pixel for enlarging. Never overshoots.
  case box
  /// The pixel below the centre of an output pixel. Aliases when shrinking; for pixel art and masks.
  case nearest

  /// Half the width of the kernel, in source pixels for enlarging, in output pixels for shrinking.
  public var radius: Double {
    switch self {
    case .lanczos3: 3
    case .lanczos2, .bicubic, .mitchell: 2
    case .bilinear: 1
    case .box, .nearest: 0.5
    }
  }

  /// Returns the kernel at a distance from the centre; 0 from ``radius`` on.
  ///
  /// Values of a window do not sum to exactly 1; they are normalised after sampling.
  public func weight(at distance: Double) -> Double {
    let x = abs(distance)
    switch self {
    case .lanczos3:
      return Self.lanczos3(x)
    case .lanczos2:
      return Self.lanczos2(x)
    case .bicubic:
      return Self.cubic(x, b: 0, c: 0.5)
    case .mitchell:
      return Self.cubic(x, b: 1.0 / 3, c: 1.0 / 3)
    case .bilinear:
      return max(0, 1 - x)
    case .box, .nearest:
      // A pixel whose centre lies on the border belongs to both sides, regardless of rounding errors.
      return x < 0.5 - Self.tolerance ? 1 : x <= 0.5 + Self.tolerance ? 0.5 : 0
    }
  }

  /// The largest distance between two positions that count as equal, in pixels.
  static let tolerance = 1e-9

  /// Computes sinc(x) · sinc(x / 3), by sin 3a = 3 sin a − 4 sin³ a with one sine instead of two.
  private static func lanczos3(_ x: Double) -> Double { lanczos3(x, sine: sin(x * .pi / 3)) }

  /// Computes the kernel from a known sine, or its negative.
  static func lanczos3(_ x: Double, sine s: Double) -> Double {
    guard x < 3 else { return 0 }
    guard x > 1e-9 else { return 1 }
    let a = x * .pi / 3
    return s * s * (3 - 4 * s * s) / (3 * a * a)
  }

  /// Computes sinc(x) · sinc(x / 2), by sin 2a = 2 sin a cos a.
  private static func lanczos2(_ x: Double) -> Double {
    guard x < 2 else { return 0 }
    guard x > 1e-9 else { return 1 }
    let a = x * .pi / 2
    let s = sin(a)
    return s * s * cos(a) / (a * a)
  }

  /// Computes the piecewise cubic of Mitchell and Netravali, "Reconstruction Filters in Computer Graphics", equation 8.
  private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
    if x < 1 {
      return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6
    }
    guard x < 2 else { return 0 }
    return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6
  }
}
