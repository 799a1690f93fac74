import Testing

@testable import CalotypeLoading

@Suite("Transfer deadlines")
struct TransferTimerTests {
  private func at(_ milliseconds: UInt64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func phases() {
    var timer = TransferTimer(
      timeouts: LoadTimeouts(connect: .milliseconds(100), idle: .milliseconds(30), minimumSpeed: nil),
      submitted: at(0),
      started: at(10))
    #expect(timer.deadline?.time == at(110))
    #expect(timer.deadline?.phase == .connect)
    timer.connected(at: at(20))
    #expect(timer.deadline?.time == at(50))
    #expect(timer.deadline?.phase == .idle)
    timer.activity(at: at(40), bytes: 1)
    #expect(timer.deadline?.time == at(70))
    timer.paused()
    #expect(timer.deadline == nil)
    timer.resumed(at: at(500))
    #expect(timer.deadline?.time == at(530))
  }

  @Test func totalCountsFromTheCallAndGoesOn() {
    let timeouts = LoadTimeouts(
      connect: .milliseconds(100), idle: .milliseconds(30), total: .milliseconds(60))
    var timer = TransferTimer(timeouts: timeouts, submitted: at(0), started: at(10))
    #expect(timer.deadline?.phase == .total)
    timer.connected(at: at(20))
    #expect(timer.deadline?.phase == .idle)
    timer.activity(at: at(40), bytes: 1)
    #expect(timer.deadline?.time == at(60))
    #expect(timer.deadline?.phase == .total)
    timer.paused()
    #expect(timer.deadline?.time == at(60))
  }

  @Test func minimumSpeedIsMeasuredInWindows() {
    let timeouts = LoadTimeouts(
      idle: .seconds(60), minimumSpeed: .init(bytesPerSecond: 1_000, over: .milliseconds(100)))
    var timer = TransferTimer(timeouts: timeouts, submitted: at(0), started: at(0))
    timer.connected(at: at(0))
    // Nothing is owed before the first byte: that is what `idle` is for.
    #expect(timer.deadline?.phase == .idle)
    timer.activity(at: at(50), bytes: 60)
    #expect(timer.deadline?.time == at(150))
    #expect(timer.expired(at: at(149)) == nil)
    timer.activity(at: at(149), bytes: 40)
    #expect(timer.expired(at: at(150)) == nil)
    #expect(timer.deadline?.time == at(250))
    timer.activity(at: at(160), bytes: 99)
    #expect(timer.expired(at: at(250)) == .minimumSpeed)
    // Time in which the consumer does not take bytes does not count.
    timer.paused()
    #expect(timer.expired(at: at(300)) == nil)
    timer.resumed(at: at(400))
    #expect(timer.deadline?.time == at(500))
    timer.hop(at: at(450))
    #expect(timer.deadline?.phase == .connect)
  }

  @Test func absurdDurations() {
    #expect(at(5).advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(at(5).advanced(by: .seconds(-1)) == at(5))
    #expect(Duration.seconds(Int64.max).curlMilliseconds == Int(Int32.max))
    var timer = TransferTimer(
      timeouts: LoadTimeouts(minimumSpeed: .init(bytesPerSecond: .max, over: .seconds(Int64.max))),
      submitted: at(0), started: at(0))
    timer.activity(at: at(1), bytes: .max)
    #expect(timer.expired(at: .distantFuture) == .idle)
    #expect(Duration.seconds(-9).curlMilliseconds == 1)
    #expect(MonotonicTime.distantFuture.milliseconds(from: at(1), limit: 60_000) == 60_000)
    #expect(at(1).milliseconds(from: at(2), limit: 60_000) == 0)
    #expect(at(2).milliseconds(from: at(1), limit: 60_000) == 2)
  }
}
