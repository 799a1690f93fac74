/// The clock of a cache's timeouts, which measures elapsed time and sleeps.
struct CacheTimer: Sendable {
  private let clock: any Clock<Duration>
  private let time: @Sendable () -> Duration

  init(_ clock: any Clock<Duration>) {
    self.clock = clock
    time = Self.time(of: clock)
  }

  private static func time(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  /// The time since this timer was created.
  var elapsed: Duration { time() }

  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(for duration: Duration) async throws {
    try await clock.sleep(for: duration)
  }
}
