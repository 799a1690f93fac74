import Testing

@testable import CalotypeLoading

@Suite("Transfer deadlines")
struct TransferTimerTests {
  private func at(_ milliseconds: UInt64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func phases() {
    var timer = TransferTimer(
      timeouts: LoadTimeouts(connect: .milliseconds(100), idle: .milliseconds(30)), submitted: at(0),
      started: at(10))
    #expect(timer.deadline?.time == at(110))
    #expect(timer.deadline?.phase == .connect)
    timer.connected(at: at(20))
    #expect(timer.deadline?.time == at(50))
    #expect(timer.deadline?.phase == .idle)
    timer.activity(at: at(40))
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
    timer.activity(at: at(40))
    #expect(timer.deadline?.time == at(60))
    #expect(timer.deadline?.phase == .total)
    timer.paused()
    #expect(timer.deadline?.time == at(60))
  }

  @Test func absurdDurations() {
    #expect(at(5).advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(at(5).advanced(by: .seconds(-1)) == at(5))
    #expect(Duration.seconds(Int64.max).curlMilliseconds == Int(Int32.max))
    #expect(Duration.seconds(-9).curlMilliseconds == 1)
    #expect(MonotonicTime.distantFuture.milliseconds(from: at(1), limit: 60_000) == 60_000)
    #expect(at(1).milliseconds(from: at(2), limit: 60_000) == 0)
    #expect(at(2).milliseconds(from: at(1), limit: 60_000) == 2)
  }
}
