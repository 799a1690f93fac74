/// The distribution of durations, with the buckets of Prometheus.
struct DurationHistogram: Sendable {
  /// The upper bounds of the buckets in seconds.
  static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  /// The number of durations in each bucket, and beyond the last.
  private(set) var counts = [Int](repeating: 0, count: DurationHistogram.bounds.count + 1)
  /// The sum in seconds.
  private(set) var sum = 0.0

  /// The number of durations.
  var count: Int { counts.reduce(0, +) }

  mutating func add(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let value = Double(seconds) + Double(attoseconds) / 1e18
    sum += value
    counts[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
  }
}
