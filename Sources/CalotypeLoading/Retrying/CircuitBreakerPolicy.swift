/// When a loader leaves a host alone that keeps failing.
///
/// After requests for ``threshold`` different URLs have failed in a row, nothing is asked of the host for ``coolDown``. Then
/// one request may find out whether it is back: if so, all is as before, otherwise it is left alone for twice as long.
///
/// One URL counts once, however often it fails, so that a single broken image does not stand for its host. Each
/// ``LoadRequest/partition`` has its own experience: whose URLs fail cannot take the host from others.
public struct CircuitBreakerPolicy: Hashable, Sendable {
  /// Different URLs that fail in a row, without a success of the host in between, after which it is left alone; at least
  /// one. 10 by default.
  ///
  /// What counts is that the host cannot be connected to, does not go on, breaks off, or answers with 429 or 5xx.
  public var threshold: Int
  /// How long, the first time. 5 seconds by default.
  public var coolDown: Duration
  /// The longest that doubling leads to. 2 minutes by default.
  public var maxCoolDown: Duration

  /// - Parameters:
  ///   - threshold: Different URLs that fail in a row after which a host is left alone.
  ///   - coolDown: How long, the first time.
  ///   - maxCoolDown: The longest that doubling leads to.
  public init(
    threshold: Int = 10, coolDown: Duration = .seconds(5), maxCoolDown: Duration = .seconds(120)
  ) {
    self.threshold = threshold
    self.coolDown = coolDown
    self.maxCoolDown = maxCoolDown
  }
}
