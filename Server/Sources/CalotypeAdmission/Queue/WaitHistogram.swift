/// A histogram of waiting times, as Prometheus has them: cumulative counts by upper bound.
public struct WaitHistogram: Hashable, Sendable {
  /// The upper bounds in seconds, without the last, which is infinite.
  public static let bounds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  private var counts = Array(repeating: 0, count: bounds.count + 1)
  /// The sum of all waiting times in seconds.
  public private(set) var sum = 0.0

  init() {}

  /// The number of waits.
  public var count: Int { counts.reduce(0, +) }

  /// The numbers of waits no longer than each of ``bounds``, and of all.
  public var cumulativeCounts: [Int] {
    var total = 0
    return counts.map { count in
      total += count
      return total
    }
  }

  mutating func add(_ wait: Duration) {
    let seconds = Double(Nanoseconds.of(wait)) / 1e9
    sum += seconds
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
  }
}
