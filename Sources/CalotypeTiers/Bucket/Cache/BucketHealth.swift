import CalotypeSupport

/// The breaker of a bucket, for readers and writers at the same time.
final class BucketHealth: Sendable {
  private let breaker: Lock<BucketBreaker>
  private let elapsed: @Sendable () -> Duration

  init(_ breaker: BucketBreaker, elapsed: @escaping @Sendable () -> Duration) {
    self.breaker = Lock(breaker)
    self.elapsed = elapsed
  }

  /// The state as of now.
  var state: BucketBreaker.State { breaker.withLock { $0.state } }

  /// Whether requests are refused, but for a probe.
  var isOpen: Bool { breaker.withLock { $0.isOpen } }

  /// Returns `nil` if a request is admitted now, otherwise the time at which one is.
  func admission() -> Duration? {
    let now = elapsed()
    return breaker.withLock { $0.admission(now: now) }
  }

  /// A request has ended.
  func record(_ outcome: BucketBreaker.Outcome) {
    let now = elapsed()
    breaker.withLock { $0.record(outcome, now: now) }
  }
}
