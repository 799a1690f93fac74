import CalotypeSupport

/// Runs the probes of a check one after another, each within its time.
struct ProbeRun {
  private let limits: TierCheckLimits
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let report: (TierFinding) -> Void

  init(
    _ limits: TierCheckLimits, clock: any Clock<Duration>, report: @escaping (TierFinding) -> Void
  ) {
    self.limits = limits
    self.clock = clock
    elapsed = clock.stopwatch
    self.report = report
  }

  /// Runs a probe and reports its finding.
  ///
  /// - Returns: Whether others that build on it are worth a try: not after a failure.
  @discardableResult
  func perform(
    _ probe: String, _ body: @escaping @Sendable () async -> TierFinding.Outcome
  ) async -> Bool {
    // A program that ends has no use for more.
    guard !Task.isCancelled else { return false }
    let start = elapsed()
    let limit = min(limits.probe, limits.total - start)
    let outcome =
      limit > .zero
      ? await Self.outcome(of: body, within: limit, clock)
      : .failed("not probed: the time for all probes is over", code: "timedOut")
    report(TierFinding(probe, outcome, duration: elapsed() - start))
    return outcome.verdict != .failed
  }

  /// Runs the removal of what probes wrote, also in a task that is cancelled, and reports it.
  func cleanUp(_ body: @escaping @Sendable () async -> TierFinding.Outcome) async {
    let start = elapsed()
    let (limit, clock) = (limits.probe, clock)
    // A task of its own, which the caller's cancellation does not reach.
    let outcome = await Task { await Self.outcome(of: body, within: limit, clock) }.value
    report(TierFinding("cleanUp", outcome, duration: elapsed() - start))
  }

  private static func outcome(
    of body: @escaping @Sendable () async -> TierFinding.Outcome, within limit: Duration,
    _ clock: any Clock<Duration>
  ) async -> TierFinding.Outcome {
    await withTaskGroup(of: TierFinding.Outcome?.self) { group in
      group.addTask { await body() }
      group.addTask {
        do {
          try await clock.sleep(for: limit)
          return .failed("no answer within \(limit.milliseconds) ms", code: "timedOut")
        } catch {
          return nil
        }
      }
      for await case let outcome? in group {
        group.cancelAll()
        return outcome
      }
      return .failed("cancelled", code: "cancelled")
    }
  }
}

extension Duration {
  /// Rounded.
  var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
