/// The circuit breaker of a bucket: after failures in a row, no request is sent for a while; then one probes the bucket.
/// Pure: the caller passes the time since a common start.
package struct BucketBreaker: Hashable, Sendable {
  /// The meaning of an ended request for the bucket.
  package enum Outcome: Hashable, Sendable {
    /// The bucket answers.
    case success
    /// It does not answer, answers too late, or reports a failure.
    case failure
    /// The request says nothing about the bucket.
    case neutral
  }

  /// The state of a breaker.
  package enum State: Hashable, Sendable {
    /// All requests are admitted; so many have failed in a row.
    case closed(failures: Int)
    /// None is admitted before the time.
    case open(until: Duration)
    /// One request probes the bucket. Should it be lost, another is admitted at the time.
    case halfOpen(next: Duration)
  }

  /// The failures in a row that open the breaker.
  let threshold: Int
  /// The first time without requests.
  let shortest: Duration
  /// The longest, which doubling leads to.
  let longest: Duration

  package private(set) var state = State.closed(failures: 0)
  private var coolDown: Duration

  package init(threshold: Int = 10, shortest: Duration = .seconds(5), longest: Duration = .seconds(120)) {
    self.threshold = max(1, threshold)
    self.shortest = shortest
    self.longest = max(shortest, longest)
    coolDown = shortest
  }

  /// Whether requests are refused, but for a probe.
  package var isOpen: Bool {
    if case .closed = state { false } else { true }
  }

  /// Returns `nil` if a request is admitted now, otherwise the time at which one is. The end of each admitted request must
  /// be recorded.
  package mutating func admission(now: Duration) -> Duration? {
    switch state {
    case .closed: return nil
    case .open(let time), .halfOpen(let time):
      if now < time { return time }
      state = .halfOpen(next: now + max(coolDown, .seconds(30)))
      return nil
    }
  }

  /// A request has ended. Failures of requests that were sent before the breaker opened tell nothing new.
  package mutating func record(_ outcome: Outcome, now: Duration) {
    switch (state, outcome) {
    case (_, .success):
      state = .closed(failures: 0)
      coolDown = shortest
    case (.closed(let failures), .failure):
      if failures + 1 < threshold {
        state = .closed(failures: failures + 1)
      } else {
        state = .open(until: now + coolDown)
      }
    case (.halfOpen, .failure):
      coolDown = min(coolDown * 2, longest)
      state = .open(until: now + coolDown)
    case (.halfOpen, .neutral): state = .open(until: now)
    case (.closed, .neutral), (.open, .neutral), (.open, .failure): break
    }
  }
}

extension BucketBreaker.Outcome {
  /// Classifies the failure of a read or a write.
  init(_ error: BucketError) {
    self =
      switch error {
      case .timedOut, .unreachable, .malformedAnswer: .failure
      // Without the right to list, a missing object is a 403.
      case .refused(403, "AccessDenied", _, _), .refused(403, "", _, _): .success
      case .refused(let status, _, _, _): status == 404 ? .success : .failure
      case .invalidConfiguration, .noCredentials, .suspended, .overloaded, .cancelled: .neutral
      }
  }
}
