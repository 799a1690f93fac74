import CalotypeSupport

/// The circuit breakers of all hosts that failed recently, separate for each partition. A host without a breaker is
/// healthy.
final class CircuitBreakers: Sendable {
  /// The most hosts to remember. When more fail, closed breakers are forgotten first, then those that would be probed
  /// soonest.
  static let maxHosts = 1_024

  private let policy: CircuitBreakerPolicy
  private let breakers = Lock<[Key: CircuitBreaker]>([:])

  private struct Key: Hashable {
    let host: String
    let partition: String?
  }

  init(policy: CircuitBreakerPolicy) {
    self.policy = policy
  }

  /// Returns `nil` if a request to `host` is admitted now, otherwise the time until it is. The end of an admitted
  /// request must be recorded, even if it was cancelled.
  func admission(host: String, partition: String? = nil, now: ContinuousClock.Instant) -> Duration? {
    let key = Key(host: host, partition: partition)
    return breakers.withLock { $0[key]?.admission(now: now) ?? nil }
  }

  /// A request to `host` for `resource` ended.
  func record(
    _ outcome: CircuitBreaker.Outcome, host: String, partition: String? = nil,
    resource: CircuitBreaker.Resource,
    now: ContinuousClock.Instant
  ) {
    let key = Key(host: host, partition: partition)
    breakers.withLock { breakers in
      var breaker = breakers[key] ?? CircuitBreaker()
      breaker.record(outcome, of: resource, policy: policy, now: now)
      breakers[key] = breaker.isClean ? nil : breaker
      if breakers.count > Self.maxHosts, let victim = Self.leastNeeded(breakers, but: key) {
        breakers[victim] = nil
      }
    }
  }

  /// The number of remembered hosts.
  var count: Int { breakers.withLock { $0.count } }

  /// The number of hosts with an open or half-open breaker.
  var openCount: Int { breakers.withLock { $0.values.count(where: \.isOpen) } }

  private static func leastNeeded(_ breakers: [Key: CircuitBreaker], but key: Key) -> Key? {
    var least: (key: Key, until: ContinuousClock.Instant?)?
    for (other, breaker) in breakers where other != key {
      guard let until = breaker.until else { return other }
      if least?.until.map({ until < $0 }) ?? true { least = (other, until) }
    }
    return least?.key
  }
}
