import CalotypeSupport

/// Decides when a new worker may start after others have died.
struct RestartThrottle {
  private let rule: SandboxConfiguration.Restart
  /// The deaths of the last minute.
  private var deaths: [MonotonicTime] = []

  init(_ rule: SandboxConfiguration.Restart) {
    self.rule = rule
  }

  /// Notes the death of a worker.
  mutating func noteDeath(at now: MonotonicTime) {
    forget(now)
    deaths.append(now)
    // The delay has long reached its limit.
    if deaths.count > rule.deathsPerMinute + 64 { deaths.removeFirst() }
  }

  /// Returns the time from which a worker may start.
  mutating func earliestStart(now: MonotonicTime) -> MonotonicTime {
    forget(now)
    let surplus = deaths.count - rule.deathsPerMinute
    guard surplus > 0, let last = deaths.last else { return now }
    let delay = min(rule.longestDelay, rule.delay * (1 << min(surplus - 1, 20)))
    return max(now, last.advanced(by: delay))
  }

  private mutating func forget(_ now: MonotonicTime) {
    deaths.removeAll { $0.duration(to: now) > .seconds(60) }
  }
}
