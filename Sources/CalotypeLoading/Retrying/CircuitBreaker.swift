/// Whether a host is asked at all, after it kept failing. Pure: it is told the time.
struct CircuitBreaker: Hashable, Sendable {
  /// What an ended request says of the host.
  enum Outcome: Hashable, Sendable {
    /// It answers.
    case success
    /// It does not, or asks to be spared.
    case failure
    /// Nothing.
    case neutral
  }

  enum State: Hashable, Sendable {
    /// Everyone may ask; requests for so many different resources failed in a row.
    case closed(failures: Set<Resource>)
    /// No one may ask before `until`.
    case open(until: ContinuousClock.Instant, coolDown: Duration)
    /// One request is on its way to find out. Should it be lost, another one goes at `next`.
    case halfOpen(next: ContinuousClock.Instant, coolDown: Duration)
  }

  /// What a URL is known by: its hash, because others choose how long it is.
  typealias Resource = Int

  private(set) var state = State.closed(failures: [])

  /// Whether there is nothing to remember.
  var isClean: Bool { state == .closed(failures: []) }

  /// Whether the host is left alone.
  var isOpen: Bool {
    if case .closed = state { false } else { true }
  }

  /// When the next request may go; `nil` while all may.
  var until: ContinuousClock.Instant? {
    switch state {
    case .closed: nil
    case .open(let until, _): until
    case .halfOpen(let next, _): next
    }
  }

  /// `nil` if a request may go now, otherwise the time until one may. Who may go when the host was left alone is the one
  /// that finds out, and has to ``record(_:of:policy:now:)`` its end, whatever that is.
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
  /// One resource counts once, however often it fails: it may be the only one that is broken, or be asked for by somebody
  /// who wants to have the host left alone. Some that end while the host is left alone were sent before: that they fail is no news, that one succeeds is.
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
      // It did not find out: the next may try at once.
      state = .open(until: now, coolDown: coolDown)
    case (.closed, .neutral), (.open, .neutral), (.open, .failure):
      break
    }
  }

  private mutating func open(for coolDown: Duration, now: ContinuousClock.Instant) {
    state = .open(until: now + coolDown, coolDown: coolDown)
  }

  /// How long a request that finds out may take before another is sent: longer than timeouts usually are.
  private static let probeTime = Duration.seconds(30)
}

extension CircuitBreaker.Outcome {
  /// What an error says of the host: a failure if it cannot be reached, does not go on, breaks off, or answers with 429
  /// or 5xx; any other answer shows that it works. Nothing is said by what fails before the host is asked, by names
  /// without an address, by certificates and malformed answers, and by a deadline that counts our own waiting too.
  init(_ error: LoadingError) {
    switch error {
    case .connectionFailed, .truncatedBody: self = .failure
    case .timedOut(_, let phase, _): self = phase == .total ? .neutral : .failure
    case .httpStatus(_, let status, _, _): self.init(status: status)
    case .tooManyRedirects, .redirectRefused, .tooLarge, .emptyBody, .contentChanged,
      .unacceptableContentType,
      .bodyTransformFailed:
      self = .success
    default: self = .neutral
    }
  }

  /// What a status says of the host.
  init(status: Int) {
    self = status == 429 || (500...599).contains(status) ? .failure : .success
  }
}
