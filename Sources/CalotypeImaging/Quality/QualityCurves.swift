/// How a measure of pictures depends on a setting of an encoder, such as its quality: the curve of the mean of many pictures, and the
/// two directions in which the curves of pictures differ most from it, each in the length of one standard deviation.
struct QualityCurves {
  /// The mean and both directions at a setting.
  typealias Point = SIMD3<Double>

  /// A measurement of a picture at a setting: a value, and how far it is from the best curve, as a standard deviation.
  struct Measurement {
    let point: Point
    let value: Double
    let deviation: Double
  }

  /// The settings at which the curves are known, in ascending order, two at least.
  private let knots: [Double]
  private let points: [Point]
  /// The standard deviation of values from the curve of their picture: curves have bumps.
  let deviation: Double

  /// - Parameters:
  ///   - knots: Settings in ascending order, two at least.
  ///   - mean: The mean at each of them.
  ///   - first: The direction in which most of the difference between pictures lies.
  ///   - second: The direction of most of the rest.
  ///   - deviation: The standard deviation of values from the curve of their picture.
  init(knots: [Double], mean: [Double], first: [Double], second: [Double], deviation: Double) {
    self.knots = knots
    points = zip(mean, zip(first, second)).map { Point($0, $1.0, $1.1) }
    self.deviation = deviation
  }

  /// Returns the mean and both directions at a setting; beyond the knots, the first and the last line go on.
  func point(at setting: Double) -> Point {
    let upper = knots.dropFirst().dropLast().firstIndex { $0 >= setting } ?? knots.count - 1
    let share = (setting - knots[upper - 1]) / (knots[upper] - knots[upper - 1])
    return points[upper - 1] + share * (points[upper] - points[upper - 1])
  }

  /// Returns the setting at which the mean has a value.
  func setting(forMean value: Double) -> Double {
    let upper = points.dropFirst().dropLast().firstIndex { $0.x >= value } ?? points.count - 1
    let (a, b) = (points[upper - 1].x, points[upper].x)
    return knots[upper - 1] + (value - a) / (b - a) * (knots[upper] - knots[upper - 1])
  }

  /// Returns the measurement of a value at a setting.
  func measurement(of value: Double, at setting: Double) -> Measurement {
    Measurement(point: point(at: setting), value: value, deviation: deviation)
  }

  /// Returns the most probable shares of both directions in a picture's curve: those of pictures have a normal distribution around 0.
  static func shares(by measurements: [Measurement]) -> SIMD2<Double> {
    // The normal equations of least squares; the ones are the distribution of the shares.
    var (a, b, c) = (1.0, 0.0, 1.0)
    var right = SIMD2<Double>.zero
    for each in measurements {
      let direction = SIMD2(each.point.y, each.point.z) / each.deviation
      a += direction.x * direction.x
      b += direction.x * direction.y
      c += direction.y * direction.y
      right += direction * ((each.value - each.point.x) / each.deviation)
    }
    return SIMD2(c * right.x - b * right.y, a * right.y - b * right.x) / (a * c - b * b)
  }
}

/// A curve through the values that were measured, shaped as those of other pictures.
struct PictureCurve {
  let curves: QualityCurves
  /// The settings and values that were measured.
  let measured: [(setting: Int, value: Double)]
  /// The shares of both directions.
  let shares: SIMD2<Double>

  /// Returns the values that are expected at settings in ascending order; none is lower than those before.
  func values(at settings: some Sequence<Int>) -> [Double] {
    let residuals = measured.map { each in
      (setting: Double(each.setting), value: each.value - expected(at: Double(each.setting)))
    }.sorted { $0.setting < $1.setting }
    var highest = -Double.infinity
    return settings.map { setting in
      highest = max(
        highest, expected(at: Double(setting)) + Self.interpolated(Double(setting), residuals))
      return highest
    }
  }

  private func expected(at setting: Double) -> Double {
    let point = curves.point(at: setting)
    return point.x + shares.x * point.y + shares.y * point.z
  }

  /// Interpolates between points in ascending order; the first and the last value go on.
  private static func interpolated(_ x: Double, _ points: [(setting: Double, value: Double)]) -> Double {
    guard let first = points.first, let last = points.last else { return 0 }
    guard x > first.setting else { return first.value }
    guard let upper = points.firstIndex(where: { $0.setting >= x }) else { return last.value }
    let (a, b) = (points[upper - 1], points[upper])
    return a.value + (x - a.setting) / (b.setting - a.setting) * (b.value - a.value)
  }
}
