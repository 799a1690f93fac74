import Glibc

/// The mean measures of photographs by the quality of an encoder: the first guess of a search, and its scale. A picture that differs
/// from the mean at one quality does so by about as much at others.
struct QualityScale {
  /// Qualities in ascending order, and the values of a measure in which more is better.
  private let knots: [(quality: Double, value: Double)]

  /// Returns the scale of a format for a measure.
  init(_ format: ImageFormat, _ measure: QualityTarget.Measure) {
    let qualities: [Double] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100]
    // The other encoders share the scale of WebP.
    let isJPEG = format == .jpeg
    let values: [Double] =
      switch measure {
      case .ssimulacra2:
        isJPEG
          ? [-61.7, -4.4, 35.8, 52.2, 60.8, 66.4, 70.6, 74.8, 79.8, 85.8, 89.2, 92.2]
          : [-14.9, 32.7, 44.3, 52.5, 58.5, 63.0, 66.8, 70.0, 76.0, 84.2, 87.6, 89.3]
      case .dssim:
        isJPEG
          ? [1.87, 2.65, 3.18, 3.50, 3.69, 3.88, 4.04, 4.24, 4.55, 5.10, 5.66, 7.32]
          : [2.49, 3.11, 3.36, 3.56, 3.73, 3.87, 4.00, 4.14, 4.44, 5.12, 5.64, 6.16]
      }
    knots = zip(qualities, values).map { ($0, $1) }
  }

  /// Returns the value on the scale of a measured one: the score, or the negative logarithm of the dissimilarity.
  static func level(_ measured: Double, of measure: QualityTarget.Measure) -> Double {
    switch measure {
    case .ssimulacra2: measured
    case .dssim: -log(max(measured, 1e-9))
    }
  }

  /// Returns the mean value at a quality.
  func value(at quality: Double) -> Double {
    Self.interpolated(quality, knots.map { ($0.quality, $0.value) })
  }

  /// Returns the quality with a mean value.
  func quality(for value: Double) -> Double { Self.interpolated(value, knots.map { ($0.value, $0.quality) }) }

  /// Interpolates between points in ascending order; continues the first and the last line.
  private static func interpolated(_ x: Double, _ points: [(x: Double, y: Double)]) -> Double {
    let upper = points.dropFirst().dropLast().firstIndex { $0.x >= x } ?? points.count - 1
    let (a, b) = (points[upper - 1], points[upper])
    return a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y)
  }
}
