import Glibc

/// A search for the quality at which a quantity that grows with it, such as the logarithm of the size, has a wanted value: a step along
/// the mean score of pictures, then secants, always between the qualities that are known to be too low and too high.
struct QualitySearch {
  private let scale: QualityCurves
  private let range: ClosedRange<Int>
  private let goal: Double
  /// The growth of the quantity for one point of the score, as long as it was measured once.
  private let slope: Double
  private var tried: [(quality: Int, value: Double)] = []

  init(scale: QualityCurves, range: ClosedRange<Int>, goal: Double, slope: Double) {
    (self.scale, self.range, self.goal, self.slope) = (scale, range, goal, slope)
  }

  /// Adds what was measured at a quality.
  mutating func add(_ value: Double, at quality: Int) { tried.append((quality, value)) }

  /// Returns the next quality to try; `nil` if there is none between those that were tried, of which there is one at least.
  func next() -> Int? {
    let low = tried.filter { $0.value < goal }.map(\.quality).max().map { $0 + 1 } ?? range.lowerBound
    let high = tried.filter { $0.value >= goal }.map(\.quality).min().map { $0 - 1 } ?? range.upperBound
    guard low <= high, let last = tried.last else { return nil }
    let place = score(at: last.quality)
    var growth = slope
    // The closest two: both sides of the goal, if there are.
    let closest = tried.sorted { abs($0.value - goal) < abs($1.value - goal) }
    if closest.count > 1 {
      let (a, b) = (closest[0], closest[1])
      let run = score(at: a.quality) - score(at: b.quality)
      let measured = run == 0 ? 0 : (a.value - b.value) / run
      // Two qualities that are close together measure a slope that is too small at times, which must not send the search away.
      if measured > slope {
        growth = min(measured, slope * 4)
      } else if measured > 0 {
        growth = (measured + slope) / 2
      }
      return clamped(
        scale.setting(forMean: score(at: a.quality) + (goal - a.value) / growth), low...high)
    }
    return clamped(scale.setting(forMean: place + (goal - last.value) / growth), low...high)
  }

  private func score(at quality: Int) -> Double { scale.point(at: Double(quality)).x }

  private func clamped(_ quality: Double, _ range: ClosedRange<Int>) -> Int {
    Int(min(max(quality.rounded(), Double(range.lowerBound)), Double(range.upperBound)))
  }
}
