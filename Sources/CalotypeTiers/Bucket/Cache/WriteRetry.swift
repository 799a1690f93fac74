import CalotypeSupport

/// Decides when a failed write is tried again: exponential back-off with full jitter (M. Brooker, "Exponential Backoff And
/// Jitter", AWS Architecture Blog, 2015). Pure.
struct WriteRetry: Hashable, Sendable {
  /// The most tries.
  var tries = 3
  /// The longest time from the store to the beginning of the last try.
  var limit = Duration.seconds(30)
  /// The longest delay after the first try, which doubles.
  var base = Duration.milliseconds(500)
  /// The longest delay that doubling leads to.
  var longest = Duration.seconds(8)

  /// Returns when to try again; `nil` to give up.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - tried: The number of tries so far.
  ///   - now: The time.
  ///   - deadline: The time by which the last try must begin.
  ///   - random: A new random number from 0 to 1.
  func next(after error: BucketError, tried: Int, now: Duration, deadline: Duration, random: Double)
    -> Duration?
  {
    guard error.isRetryable, tried < tries else { return nil }
    let step = min(base * (1 << min(max(0, tried - 1), 16)), longest)
    var delay = step * min(max(0, random), 1)
    if case .refused(_, _, _, let asked?) = error { delay = max(delay, asked) }
    // A hostile server may ask for centuries.
    guard delay <= limit, now + delay <= deadline else { return nil }
    return now + delay
  }
}
