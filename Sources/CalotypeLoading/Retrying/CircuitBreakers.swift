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

  /// Whether all requests to `host` are admitted. Unlike ``admission(host:partition:now:)``, it admits none.
  func isClosed(host: String, partition: String? = nil) -> Bool {
    let key = Key(host: host, partition: partition)
    return breakers.withLock { $0[key]?.isOpen != true }
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

/// A circuit breaker for a host that keeps failing. Pure: the caller passes the time.
struct CircuitBreaker: Hashable, Sendable {
  /// The meaning of an ended request for the host.
  enum Outcome: Hashable, Sendable {
    /// The host answers.
    case success
    /// The host does not answer, or asks for fewer requests.
    case failure
    /// The request says nothing about the host.
    case neutral
  }

  enum State: Hashable, Sendable {
    /// All requests are admitted. Requests for these different resources failed in a row.
    case closed(failures: Set<Resource>)
    /// No request is admitted before `until`.
    case open(until: ContinuousClock.Instant, coolDown: Duration)
    /// One request probes the host. Should it be lost, another is admitted at `next`.
    case halfOpen(next: ContinuousClock.Instant, coolDown: Duration)
  }

  /// Identifies a URL by its hash, because foreign URLs may have any length.
  typealias Resource = Int

  private(set) var state = State.closed(failures: [])

  /// Whether the breaker has its initial state.
  var isClean: Bool { state == .closed(failures: []) }

  /// Whether requests are refused.
  var isOpen: Bool {
    if case .closed = state { false } else { true }
  }

  /// When the next request is admitted; `nil` while all are.
  var until: ContinuousClock.Instant? {
    switch state {
    case .closed: nil
    case .open(let until, _): until
    case .halfOpen(let next, _): next
    }
  }

  /// Returns `nil` if a request is admitted now, otherwise the time until one is. A request that is admitted to an open
  /// breaker is the probe, and its end must be recorded by ``record(_:of:policy:now:)`` in any case.
  mutating func admission(now: ContinuousClock.Instant) -> Duration? {
    switch state {
    case .closed:
      return nil
    case .open(let time, let coolDown), .halfOpen(let time, let coolDown):
      if now < time { return now.duration(to: time) }
      state = .halfOpen(next: now + max(coolDown, Self.probeTime), coolDown: coolDown)
      return nil
    }
  }

  /// A request for `resource` ended.
  ///
  /// A resource counts once, however often it fails: it may be the only broken one, or an attacker may request it
  /// repeatedly to block the host. Requests that end while the breaker is open were sent earlier: their failures carry
  /// no new information, a success does.
  mutating func record(
    _ outcome: Outcome, of resource: Resource, policy: CircuitBreakerPolicy, now: ContinuousClock.Instant
  ) {
    switch (state, outcome) {
    case (_, .success):
      state = .closed(failures: [])
    case (.closed(var failures), .failure):
      failures.insert(resource)
      if failures.count < policy.threshold {
        state = .closed(failures: failures)
      } else {
        open(for: min(policy.coolDown, policy.maxCoolDown), now: now)
      }
    case (.halfOpen(_, let coolDown), .failure):
      open(for: min(coolDown * 2, policy.maxCoolDown), now: now)
    case (.halfOpen(_, let coolDown), .neutral):
      // The probe was inconclusive: the next request may probe at once.
      state = .open(until: now, coolDown: coolDown)
    case (.closed, .neutral), (.open, .neutral), (.open, .failure):
      break
    }
  }

  private mutating func open(for coolDown: Duration, now: ContinuousClock.Instant) {
    state = .open(until: now + coolDown, coolDown: coolDown)
  }

  /// How long a probe may take before another is sent: longer than usual timeouts.
  private static let probeTime = Duration.seconds(30)
}

extension CircuitBreaker.Outcome {
  /// Classifies an error. An unreachable or stalling host, a broken transfer, and the statuses 429 and 5xx are
  /// failures; any other response shows that the host works. Failures before the host is reached, unknown names,
  /// certificate errors, malformed responses, and the total timeout, which includes the loader's queue, are neutral.
  init(_ error: LoadingError) {
    switch error {
    case .timedOut(_, .total, _), .timedOut(_, .queue, _): self = .neutral
    case .connectionFailed, .truncatedBody, .timedOut: self = .failure
    case .httpStatus(_, let status, _, _): self.init(status: status)
    case .tooManyRedirects, .redirectRefused, .tooLarge, .emptyBody, .contentChanged,
      .unacceptableContentType,
      .bodyTransformFailed:
      self = .success
    default: self = .neutral
    }
  }

  /// Classifies a status.
  init(status: Int) {
    self = status == 429 || (500...599).contains(status) ? .failure : .success
  }
}
