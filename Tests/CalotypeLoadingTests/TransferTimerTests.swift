import CalotypeSupport
import Testing

@testable import CalotypeLoading

@Suite("Transfer deadlines")
struct TransferTimerTests {
  private func at(_ milliseconds: UInt64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func phases() {
    var timer = TransferTimer(
      timeouts: LoadRequest.Timeouts(connect: .milliseconds(100), idle: .milliseconds(30), minimumSpeed: nil),
      submitted: at(0),
      started: at(10))
    #expect(timer.deadline?.time == at(110))
    #expect(timer.deadline?.phase == .connect)
    timer.connected(at: at(20))
    #expect(timer.deadline?.time == at(50))
    #expect(timer.deadline?.phase == .idle)
    timer.activity(at: at(40), bytes: 1)
    #expect(timer.deadline?.time == at(70))
    timer.paused(at: at(45), refusing: 0)
    #expect(timer.deadline == nil)
    timer.resumed(at: at(500))
    #expect(timer.deadline?.time == at(530))
  }

  @Test func totalCountsFromTheCallAndGoesOn() {
    let timeouts = LoadRequest.Timeouts(
      connect: .milliseconds(100), idle: .milliseconds(30), total: .milliseconds(60))
    var timer = TransferTimer(timeouts: timeouts, submitted: at(0), started: at(10))
    #expect(timer.deadline?.phase == .total)
    timer.connected(at: at(20))
    #expect(timer.deadline?.phase == .idle)
    timer.activity(at: at(40), bytes: 1)
    #expect(timer.deadline?.time == at(60))
    #expect(timer.deadline?.phase == .total)
    timer.paused(at: at(45), refusing: 0)
    #expect(timer.deadline?.time == at(60))
  }

  @Test func minimumSpeedIsMeasuredInWindows() {
    let timeouts = LoadRequest.Timeouts(
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
    timer.paused(at: at(260), refusing: 0)
    #expect(timer.expired(at: at(300)) == nil)
    timer.resumed(at: at(400))
    #expect(timer.deadline?.time == at(500))
    timer.hop(at: at(450))
    #expect(timer.deadline?.phase == .connect)
  }

  /// 100 ms, and another 100 ms for each 1,000 bytes.
  private func bodyTimer(idle: Duration = .seconds(3_600)) -> TransferTimer {
    let timeouts = LoadRequest.Timeouts(
      idle: idle, minimumSpeed: nil, body: .init(base: .milliseconds(100), bytesPerSecond: 10_000))
    return TransferTimer(timeouts: timeouts, submitted: at(0), started: at(0))
  }

  @Test func bodiesHaveTimeByTheirLength() {
    var timer = bodyTimer()
    timer.connected(at: at(10))
    // The time to the first byte is not that of the body.
    #expect(timer.deadline?.phase == .idle)
    let isFirst = timer.activity(at: at(50), bytes: 200)
    #expect(isFirst)
    #expect(timer.deadline?.time == at(170) && timer.deadline?.phase == .body)
    // At 10,000 bytes a second it would go on for ever.
    for time in stride(from: UInt64(60), through: 1_000, by: 10) {
      #expect(timer.expired(at: at(time)) == nil)
      timer.activity(at: at(time), bytes: 100)
    }
    // 9,700 bytes.
    #expect(timer.duration(.body) == .milliseconds(1_070))
    #expect(timer.deadline?.time == at(1_120))
    #expect(timer.expired(at: at(1_119)) == nil)
    #expect(timer.expired(at: at(1_120)) == .body)
    timer.hop(at: at(1_130))
    #expect(timer.deadline?.phase == .connect)
    timer.activity(at: at(1_200), bytes: 0)
    #expect(timer.deadline?.time == at(1_300))
  }

  @Test func dripsEndNoMatterHowLongTheyAre() {
    var timer = bodyTimer()
    var ended: UInt64?
    // A byte a millisecond: 1,000 a second.
    for time in 0..<UInt64(1_000_000) {
      if timer.expired(at: at(time)) == .body {
        ended = time
        break
      }
      timer.activity(at: at(time), bytes: 1)
    }
    #expect(ended == 112)
  }

  @Test func timeOfTheConsumerIsNotThatOfTheBody() {
    var timer = bodyTimer()
    timer.activity(at: at(0), bytes: 1_000)
    #expect(timer.deadline?.time == at(200))
    timer.activity(at: at(100), bytes: 500)
    // They were not taken, and will come again.
    timer.paused(at: at(100), refusing: 500)
    #expect(timer.deadline == nil && timer.expired(at: at(100_000)) == nil)
    timer.paused(at: at(500), refusing: 0)
    timer.resumed(at: at(1_100))
    #expect(timer.deadline?.time == at(1_200))
    timer.activity(at: at(1_100), bytes: 500)
    #expect(timer.deadline?.time == at(1_250))
    #expect(timer.expired(at: at(1_250)) == .body)
  }

  @Test func defaultsOfTheBody() {
    let body = LoadRequest.Timeouts().body
    #expect(body == .init(base: .seconds(30), bytesPerSecond: 16 << 10))
    #expect(LoadRequest.Timeouts().duration(.body, received: 2_700_000) > .seconds(194))
    #expect(LoadRequest.Timeouts().duration(.body, received: 2_700_000) < .seconds(195))
    #expect(LoadRequest.Timeouts(body: nil).duration(.body, received: 1) == .zero)
    var timer = TransferTimer(
      timeouts: LoadRequest.Timeouts(idle: .seconds(60), minimumSpeed: nil, body: nil), submitted: at(0),
      started: at(0))
    timer.activity(at: at(0), bytes: 1)
    #expect(timer.deadline?.phase == .idle)
  }

  @Test(arguments: [
    LoadRequest.Timeouts.BodyTime(base: .seconds(Int64.max), bytesPerSecond: .max),
    .init(base: .seconds(Int64.max), bytesPerSecond: 0), .init(base: .zero, bytesPerSecond: .min),
    .init(base: .seconds(-5), bytesPerSecond: 1),
  ])
  func absurdBodyTimes(body: LoadRequest.Timeouts.BodyTime) {
    var timer = TransferTimer(
      timeouts: LoadRequest.Timeouts(idle: .seconds(60), minimumSpeed: nil, body: body), submitted: at(0),
      started: at(0))
    timer.activity(at: at(1), bytes: .max)
    #expect(timer.expired(at: at(50_000)) == nil)
    #expect(timer.expired(at: .distantFuture) == .idle)
  }

  @Test func absurdDurations() {
    #expect(at(5).advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(at(5).advanced(by: .seconds(-1)) == at(5))
    #expect(Duration.seconds(Int64.max).curlMilliseconds == Int(Int32.max))
    var timer = TransferTimer(
      timeouts: LoadRequest.Timeouts(minimumSpeed: .init(bytesPerSecond: .max, over: .seconds(Int64.max))),
      submitted: at(0), started: at(0))
    timer.activity(at: at(1), bytes: .max)
    #expect(timer.expired(at: .distantFuture) == .idle)
    #expect(Duration.seconds(-9).curlMilliseconds == 1)
    #expect(MonotonicTime.distantFuture.milliseconds(from: at(1), limit: 60_000) == 60_000)
    #expect(at(1).milliseconds(from: at(2), limit: 60_000) == 0)
    #expect(at(2).milliseconds(from: at(1), limit: 60_000) == 2)
  }
}
