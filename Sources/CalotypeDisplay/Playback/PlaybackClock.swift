import Calotype
import CalotypeSupport

/// A clock as a player sees it: the time since the player was made.
struct PlaybackClock: Sendable {
  let now: @Sendable () -> Duration
  let sleep: @Sendable (_ until: Duration) async throws -> Void

  init<Source: Clock<Duration>>(_ clock: Source) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    // Timers that are late by a tenth of what they wait for would be seen.
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: .microseconds(500)) }
  }
}
