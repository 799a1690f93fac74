/// A search for the setting of an encoder, such as its quality, at which a picture has a wanted value of a measure that grows with the
/// setting: where the curve of the picture is expected to have it, always between the settings that are known to be too low and too
/// high.
struct TargetSearch {
  private let curves: QualityCurves
  /// The settings that differ, in ascending order.
  private let settings: [Int]
  private let goal: Double
  private var tried: [(setting: Int, value: Double)] = []

  init(curves: QualityCurves, settings: [Int], goal: Double) {
    (self.curves, self.settings, self.goal) = (curves, settings, goal)
  }

  /// Adds what was measured at a setting.
  mutating func add(_ value: Double, at setting: Int) { tried.append((setting, value)) }

  /// Returns the next setting to try; `nil` if there is none between those that were tried.
  func next() -> Int? {
    let shares = QualityCurves.shares(
      by: tried.map { curves.measurement(of: $0.value, at: Double($0.setting)) })
    let curve = PictureCurve(curves: curves, measured: tried, shares: shares)
    return Self.nearest(to: goal, on: curve, among: settings)
  }

  /// Returns the setting between those that were measured whose value is expected to be nearest to a goal.
  static func nearest(to goal: Double, on curve: PictureCurve, among settings: [Int]) -> Int? {
    let low = curve.measured.filter { $0.value < goal }.map(\.setting).max() ?? .min
    let high = curve.measured.filter { $0.value >= goal }.map(\.setting).min() ?? .max
    return zip(settings, curve.values(at: settings)).filter { low < $0.0 && $0.0 < high }
      .min { abs($0.1 - goal) < abs($1.1 - goal) }?.0
  }
}
