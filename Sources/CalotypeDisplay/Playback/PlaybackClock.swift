import Calotype
import CalotypeSupport

/// The clock of a player: the time since the player was created.
struct PlaybackClock: Sendable {
  let now: @Sendable () -> Duration
  let sleep: @Sendable (_ until: Duration) async throws -> Void

  init<Source: Clock<Duration>>(_ clock: Source) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    // A delay that is a tenth too long would be visible.
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: .microseconds(500)) }
  }
}
