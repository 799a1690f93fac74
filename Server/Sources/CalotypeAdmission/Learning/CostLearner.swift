/// Corrects predicted costs by measurements, for each pair of input and output format. A pure value.
///
/// ```swift
/// var learner = CostLearner()
/// learner.record(predicted: .milliseconds(20), actual: .milliseconds(30), for: pair)
/// let cost = learner.corrected(.milliseconds(20), for: pair)    // longer than 20 ms
/// ```
public struct CostLearner: Sendable {
  /// The range of ratios: measurements outside count as its bounds.
  public static let range = 0.25...4.0
  /// The number of pairs that are distinguished. Predictions for more pairs are not corrected.
  public static let capacity = 256
  /// The weight of a measurement, once there are enough.
  private static let weight = 1.0 / 16

  /// The ratios, for metrics.
  public private(set) var ratios: [CostPair: CostRatio] = [:]

  /// Creates a learner without measurements, which changes no prediction.
  public init() {}

  /// Returns a predicted processor time, corrected.
  public func corrected(_ predicted: Duration, for pair: CostPair?) -> Duration {
    let nanoseconds = min(max(Nanoseconds.of(predicted), 0), Nanoseconds.maximumCost)
    guard let pair, let known = ratios[pair] else { return .nanoseconds(nanoseconds) }
    return .nanoseconds(min(Int64(Double(nanoseconds) * known.ratio), Nanoseconds.maximumCost))
  }

  /// Records a measurement.
  ///
  /// - Parameters:
  ///   - predicted: The prediction before correction. Without a positive one nothing is recorded.
  ///   - actual: The processor time that was taken.
  public mutating func record(predicted: Duration, actual: Duration, for pair: CostPair) {
    let predicted = min(Double(Nanoseconds.of(predicted)), Double(Nanoseconds.maximumCost))
    let actual = min(Double(Nanoseconds.of(actual)), Double(Nanoseconds.maximumCost))
    guard predicted > 0, actual >= 0, ratios[pair] != nil || ratios.count < Self.capacity else { return }
    var known = ratios[pair] ?? CostRatio()
    let sample = min(max(actual / predicted, Self.range.lowerBound), Self.range.upperBound)
    // The prior counts as one measurement of 1.
    known.count += 1
    known.ratio += (sample - known.ratio) * max(Self.weight, 1 / Double(known.count + 1))
    known.ratio = min(max(known.ratio, Self.range.lowerBound), Self.range.upperBound)
    known.predictedSeconds += predicted / 1e9
    known.actualSeconds += actual / 1e9
    ratios[pair] = known
  }
}
