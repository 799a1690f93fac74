/// Estimates the throughput of a queue, to predict waiting times. A pure value.
struct ThroughputEstimator: Hashable, Sendable {
  /// The range of predictions.
  private static let range = Duration.seconds(1)...Duration.seconds(120)

  /// The interval between two ends while others wait, as an exponential mean over about eight.
  private var interval: Duration?
  private var last: Duration?

  /// Records the end of a turn.
  ///
  /// - Parameters:
  ///   - now: The time of the end.
  ///   - isBusy: Whether others wait; otherwise the time until the next end says nothing.
  mutating func finish(at now: Duration, isBusy: Bool) {
    if let last, isBusy {
      let passed = max(.zero, now - last)
      interval = interval.map { $0 + (passed - $0) / 8 } ?? passed
    }
    last = isBusy ? now : nil
  }

  /// Returns the predicted waiting time behind a number of entries: whole seconds, from 1 to 120.
  func wait(for count: Int) -> Duration {
    let wait = (interval ?? .milliseconds(10)) * count
    let seconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
    return min(max(.seconds(seconds), Self.range.lowerBound), Self.range.upperBound)
  }
}
