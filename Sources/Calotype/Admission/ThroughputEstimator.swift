/// How fast turns of a queue end, to tell how long one waits. A pure value.
struct ThroughputEstimator: Hashable, Sendable {
  /// The least and the most that is ever predicted.
  private static let range = Duration.seconds(1)...Duration.seconds(120)

  /// Between two ends while others wait, an exponential mean over about eight.
  private var interval: Duration?
  private var last: Duration?

  /// A turn has ended.
  ///
  /// - Parameters:
  ///   - now: When.
  ///   - isBusy: Whether others wait; when nobody does, the time until the next end says nothing.
  mutating func finish(at now: Duration, isBusy: Bool) {
    if let last, isBusy {
      let passed = max(.zero, now - last)
      interval = interval.map { $0 + (passed - $0) / 8 } ?? passed
    }
    last = isBusy ? now : nil
  }

  /// How long one waits behind so many others: whole seconds, from 1 to 120.
  func wait(for count: Int) -> Duration {
    let wait = (interval ?? .milliseconds(10)) * count
    let seconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
    return min(max(.seconds(seconds), Self.range.lowerBound), Self.range.upperBound)
  }
}
