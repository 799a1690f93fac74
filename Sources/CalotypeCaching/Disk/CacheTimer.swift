/// The clock of a cache's time-outs: tells how long ago it was made, and sleeps.
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

  /// Time since this was made.
  var elapsed: Duration { time() }

  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(for duration: Duration) async throws {
    try await clock.sleep(for: duration)
  }
}
