import CalotypeSupport
import CalotypeTestKit
import Glibc
import Testing

@testable import CalotypeCaching

/// The clock of memory caches, which goes on while the machine is suspended.
@Suite struct SuspendedTimeTests {
  private struct Clocks {
    var running: Int64 = 5_000_000_000
    var suspended: Int64 = 7_000_000_000
    var looks = 0
  }

  @Test func suspensionsCount() {
    let clocks = Lock(Clocks())
    let time = SuspensionClock { clock in
      clocks.withLock { clocks in
        guard clock == CLOCK_BOOTTIME else { return clocks.running }
        clocks.looks += 1
        return clocks.running + clocks.suspended
      }
    }
    func pass(running: Int64 = 0, suspended: Int64 = 0) -> Int64 {
      clocks.withLock { clocks in
        clocks.running += running
        clocks.suspended += suspended
      }
      return time.coarseTime
    }
    #expect(pass() == 12_000_000_000)
    #expect(pass(running: 10) == 12_000_000_010)
    // An hour in which nothing ran: noticed within a second.
    _ = pass(running: SuspensionClock.interval - 11, suspended: 3600_000_000_000)
    #expect(clocks.withLock { $0.looks } == 1)
    #expect(pass(running: 1) == 12_000_000_000 + SuspensionClock.interval + 3600_000_000_000)
    // What lies between two readings is no suspension, and time does not go back.
    let before = pass()
    #expect(pass(running: SuspensionClock.interval, suspended: 1000) == before + SuspensionClock.interval)
    #expect(
      pass(running: SuspensionClock.interval, suspended: -1000) == before + 2 * SuspensionClock.interval)
    for _ in 0..<1000 { _ = pass() }
    #expect(clocks.withLock { $0.looks } == 4)
  }

  @Test func theSystemsClockRuns() async throws {
    let start = SuspensionClock.shared.coarseTime
    try await eventually { SuspensionClock.shared.coarseTime > start }
  }
}
