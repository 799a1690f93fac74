public import FoundationEssentials

/// Decides how often and when a load is retried. It is a value; the loader carries out its decisions.
///
/// The n-th retry waits for ``baseDelay``, doubled n − 1 times and at most ``maxDelay`` (exponential back-off). Jitter
/// subtracts a random part, so that clients that failed together do not retry together (thundering herd). A longer
/// delay in `Retry-After` takes precedence.
public struct RetryPolicy: Hashable, Sendable {
  /// The most retries after the first attempt. 2 by default.
  public var maxRetries: Int
  /// The delay of the first retry, before jitter. 250 ms by default.
  public var baseDelay: Duration
  /// The longest delay that doubling leads to. 8 seconds by default.
  public var maxDelay: Duration
  /// The random fraction of a delay, from 0 for none to 1 for all. 0.5 by default: delays between half and the whole.
  public var jitter: Double
  /// The longest `Retry-After` to honour; a response that asks for more time is not retried. 60 seconds by default.
  public var maxRetryAfter: Duration

  /// Two retries.
  public static let `default` = RetryPolicy()
  /// No retries.
  public static let none = RetryPolicy(maxRetries: 0)

  /// - Parameters:
  ///   - maxRetries: The most retries after the first attempt.
  ///   - baseDelay: The delay of the first retry, before jitter.
  ///   - maxDelay: The longest delay that doubling leads to.
  ///   - jitter: The random fraction of a delay, from 0 to 1.
  ///   - maxRetryAfter: The longest `Retry-After` to honour.
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

  /// Returns whether and when to retry after `error`.
  ///
  /// It retries errors that are ``LoadingError/isRetryable``, with two exceptions: a full queue, because a retry would
  /// fill it further, and an open circuit breaker, because it exists to spare the host. The caller may retry later.
  ///
  /// - Parameters:
  ///   - error: The error of the last attempt.
  ///   - attempt: The number of retries so far: 0 after the first attempt.
  ///   - remaining: Time until the caller's deadline; `nil` when there is none. No retry starts at or after it.
  ///   - random: A new random number from 0 to 1; 0 gives the shortest delay.
  ///   - date: The present time, for a `Retry-After` date in a response without `Date`.
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
    // The deadline of all attempts together.
    case .timedOut(_, .total, _), .timedOut(_, .queue, _): false
    default: error.isRetryable
    }
  }

  private func backOff(attempt: Int, random: Double) -> Duration {
    let limit = max(maxDelay, .zero)
    var step = max(baseDelay, .zero)
    var doublings = 0
    // A base of zero stays zero, however often it is doubled.
    while doublings < attempt && step < limit && step > .zero {
      step *= 2
      doublings += 1
    }
    step = min(step, limit)
    // After rounding, the part may exceed the whole.
    return max(.zero, step - step * (Self.fraction(jitter) * (1 - Self.fraction(random))))
  }

  /// Clamps to 0 through 1; 0 for NaN.
  private static func fraction(_ value: Double) -> Double { value >= 0 ? Swift.min(value, 1) : 0 }
}
