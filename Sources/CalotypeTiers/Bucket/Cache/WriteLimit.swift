/// How many writes run at a time: one more after a round of successes, half after a request to slow down (additive
/// increase, multiplicative decrease; V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988). Pure.
struct WriteLimit: Hashable, Sendable {
  /// The most writes at a time.
  let most: Int
  private var value: Double
  private var lastCut: Duration?

  init(most: Int) {
    self.most = max(1, most)
    value = Double(self.most)
  }

  /// The present limit, at least one.
  var current: Int { max(1, Int(value)) }

  /// A write succeeded.
  mutating func succeeded() {
    value = min(Double(most), value + 1 / value)
  }

  /// The server asked for fewer requests in answer to a write that began at `start`. Writes that began before the last cut
  /// do not count: they tell of the same congestion.
  mutating func slowed(start: Duration, now: Duration) {
    if let lastCut, start < lastCut { return }
    value = max(1, value / 2)
    lastCut = now
  }
}
