public import FoundationEssentials

/// Decides how often and when a load is retried. A value; the loader carries it out.
///
/// The n-th retry waits for ``baseDelay``, doubled n − 1 times and at most ``maxDelay``; jitter subtracts a random
/// part, so that clients that failed together do not retry together (thundering herd). A server that asks for more time
/// gets it.
public struct RetryPolicy: Hashable, Sendable {
  /// Retries after the first try. 2 by default.
  public var maxRetries: Int
  /// How long the first retry waits, before chance. 250 ms by default.
  public var baseDelay: Duration
  /// The longest wait that doubling leads to. 8 seconds by default.
  public var maxDelay: Duration
  /// How much of a wait is left to chance: 0.5 by default, for waits between half and the whole of it. From 0 for none
  /// to 1 for all.
  public var jitter: Double
  /// A server that asks in `Retry-After` for more time than this is not asked again. 60 seconds by default.
  public var maxRetryAfter: Duration

  /// Two retries.
  public static let `default` = RetryPolicy()
  /// No retries.
  public static let none = RetryPolicy(maxRetries: 0)

  /// - Parameters:
  ///   - maxRetries: Retries after the first try.
  ///   - baseDelay: How long the first retry waits, before chance.
  ///   - maxDelay: The longest wait that doubling leads to.
  ///   - jitter: How much of a wait is left to chance, from 0 to 1.
  ///   - maxRetryAfter: The longest that a server may ask us to wait.
  public init(
    maxRetries: Int = 2, baseDelay: Duration = .milliseconds(250), maxDelay: Duration = .seconds(8),
    jitter: Double = 0.5, maxRetryAfter: Duration = .seconds(60)
  ) {
    self.maxRetries = maxRetries
    self.baseDelay = baseDelay
    self.maxDelay = maxDelay
    self.jitter = jitter
    self.maxRetryAfter = maxRetryAfter
  }

  /// Whether and when to try again after `error`.
  ///
  /// Tried again is what ``LoadingError/isRetryable`` says, but for two: a full queue, because a retry would only fill it
  /// more, and a host that is left alone for a while, because that is meant to spare it. The caller, who knows what
  /// else there is to do, may come back later.
  ///
  /// - Parameters:
  ///   - error: Why the last try failed.
  ///   - attempt: How many retries there were: 0 after the first try.
  ///   - remaining: Time until the caller's deadline; `nil` when there is none. No retry starts at or after it.
  ///   - random: A number from 0 to 1, chosen anew each time; 0 is the shortest wait.
  ///   - date: The time, for servers that name a date to come back at and do not say what time it is there.
  public func decision(
    after error: LoadingError, attempt: Int, remaining: Duration?, random: Double, date: Date = Date()
  ) -> RetryPolicy.Decision {
    guard Self.isTriedAgain(error) else { return .giveUp(.pointless) }
    guard attempt < maxRetries else { return .giveUp(.noRetriesLeft) }
    var delay = backOff(attempt: attempt, random: random)
    if case .httpStatus(_, _, let headers, _) = error, let asked = RetryAfter.delay(in: headers, now: date) {
      if asked > maxRetryAfter { return .giveUp(.asksForTooLong) }
      delay = max(delay, asked)
    }
    if let remaining, delay >= remaining { return .giveUp(.deadlineTooNear) }
    return .retry(after: delay)
  }

  private static func isTriedAgain(_ error: LoadingError) -> Bool {
    switch error {
    case .queueFull, .hostSuspended: false
    // The deadline of all tries together.
    case .timedOut(_, .total, _): false
    default: error.isRetryable
    }
  }

  private func backOff(attempt: Int, random: Double) -> Duration {
    let limit = max(maxDelay, .zero)
    var step = max(baseDelay, .zero)
    var doublings = 0
    // A base of nothing stays nothing, however often it is doubled.
    while doublings < attempt && step < limit && step > .zero {
      step *= 2
      doublings += 1
    }
    step = min(step, limit)
    // Rounded, the part may be more than the whole.
    return max(.zero, step - step * (Self.fraction(jitter) * (1 - Self.fraction(random))))
  }

  /// From 0 to 1; 0 for what is no number.
  private static func fraction(_ value: Double) -> Double { value >= 0 ? Swift.min(value, 1) : 0 }
}
