import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import Calotype

/// Calls at their time, with one task for all.
@Suite("Expiry of what waits", .timeLimit(.minutes(5)))
struct ExpiryTimerTests {
  private let time = ManualTime()
  private let called = AsyncStream.makeStream(of: String.self)

  private func add(_ name: String, at time: Duration, to timer: ExpiryTimer) -> Int {
    timer.add(at: time) { [continuation = called.continuation] in continuation.yield(name) }
  }

  private func next(_ count: Int) async -> [String] {
    var names: [String] = []
    for await name in called.stream {
      names.append(name)
      if names.count == count { break }
    }
    return names
  }

  @Test(
    "each is called at its time, also when it came after those that expire later, and not when it was taken back"
  )
  func order() async throws {
    let timer = ExpiryTimer(time.clock)
    _ = add("last", at: .seconds(30), to: timer)
    try await time.clock.waitForSleepers()
    _ = add("first", at: .seconds(10), to: timer)
    let other = add("other", at: .seconds(20), to: timer)
    _ = add("second", at: .seconds(20), to: timer)
    timer.remove(other)
    time.advance(by: .seconds(10))
    #expect(await next(1) == ["first"])
    try await time.clock.waitForSleepers()
    time.advance(by: .seconds(25))
    #expect(await next(2) == ["second", "last"])
    #expect(timer.counts == (0, 0))
  }

  @Test("calls that come one after the other have one sleep, and none outlives the timer")
  func oneSleep() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    var timer: ExpiryTimer? = ExpiryTimer(NotingClock(clock: time.clock, ended: end))
    for index in 0..<100 {
      let number = timer.map { add("never", at: .seconds(10 + index), to: $0) }
      try await time.clock.waitForSleepers()
      if let number { timer?.remove(number) }
    }
    #expect(time.clock.sleeperCount == 1)
    timer = nil
    for await _ in ended { break }
    #expect(time.clock.sleeperCount == 0)
  }

  @Test("calls that were taken back take no place for long")
  func bounded() {
    let timer = ExpiryTimer(time.clock)
    for _ in 0..<100 { _ = add("never", at: .seconds(1_000), to: timer) }
    for index in 0..<100_000 {
      timer.remove(add("never", at: .seconds(500 + index % 1_000), to: timer))
      #expect(timer.counts.calls == 100 && timer.counts.places <= 264)
    }
  }

  @Test("a time that never comes is no error")
  func never() async throws {
    let timer = ExpiryTimer(time.clock)
    let number = add("never", at: .seconds(Int64.max), to: timer)
    try await time.clock.waitForSleepers()
    time.advance(by: .seconds(86_400))
    try await time.clock.waitForSleepers()
    timer.remove(number)
    #expect(timer.counts.calls == 0)
  }
}

/// Tells when a sleep has ended.
private struct NotingClock: Clock {
  let clock: TestClock
  let ended: AsyncStream<Void>.Continuation

  var now: TestClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    defer { ended.yield() }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
