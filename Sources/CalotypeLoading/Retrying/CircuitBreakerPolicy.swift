/// When a loader stops sending requests to a host that keeps failing (circuit breaker).
///
/// After requests for ``threshold`` different URLs have failed in a row, no request is sent to the host for
/// ``coolDown``. Then one request probes it: a success closes the breaker, a failure doubles the cool-down.
///
/// One URL counts once, however often it fails, so that a single broken image does not block its host. Each
/// ``LoadRequest/partition`` has its own breakers, so that failing URLs of one do not block others.
public struct CircuitBreakerPolicy: Hashable, Sendable {
  /// The number of different URLs that must fail in a row, without a success in between, to open the breaker; at least
  /// one. 10 by default.
  ///
  /// Failures are refused connections, stalls, broken transfers, and the statuses 429 and 5xx.
  public var threshold: Int
  /// The first cool-down. 5 seconds by default.
  public var coolDown: Duration
  /// The longest cool-down. 2 minutes by default.
  public var maxCoolDown: Duration

  /// - Parameters:
  ///   - threshold: The number of different URLs that must fail in a row.
  ///   - coolDown: The first cool-down.
  ///   - maxCoolDown: The longest cool-down.
  public init(
    threshold: Int = 10, coolDown: Duration = .seconds(5), maxCoolDown: Duration = .seconds(120)
  ) {
    self.threshold = threshold
    self.coolDown = coolDown
    self.maxCoolDown = maxCoolDown
  }
}
