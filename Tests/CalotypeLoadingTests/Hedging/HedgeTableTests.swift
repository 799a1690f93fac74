import Testing

@testable import CalotypeLoading

@Suite("Hedging: times and savings")
struct HedgeTableTests {
  @Test func percentile() {
    var times = RecentTimes()
    #expect(times.percentile95 == nil)
    for milliseconds in (1...20).reversed() { times.add(.milliseconds(milliseconds)) }
    #expect(times.percentile95 == .milliseconds(19))
    times.add(.milliseconds(21))
    #expect(times.percentile95 == .milliseconds(20))
  }

  @Test func oldTimesAreForgotten() {
    var times = RecentTimes()
    for _ in 0..<HedgingPolicy.window { times.add(.seconds(1)) }
    for index in 1...HedgingPolicy.window {
      times.add(.milliseconds(index % 7))
      #expect(times.count == HedgingPolicy.window)
      // More than one in twenty is still an old one.
      #expect((times.percentile95 == .seconds(1)) == (index < HedgingPolicy.window * 95 / 100))
    }
  }

  private func known(_ table: inout HedgeTable, _ origin: String = "a", time: Duration = .milliseconds(50)) {
    for _ in 0..<4 { table.answered(origin, after: time) }
  }

  @Test func originsAreKnownAfterSomeResponses() {
    var table = HedgeTable(policy: HedgingPolicy(minimumSamples: 4))
    for _ in 0..<4 {
      #expect(table.began("a") == nil)
      table.answered("a", after: .milliseconds(50))
    }
    #expect(table.began("a") == .milliseconds(50))
    #expect(table.began("b") == nil)
  }

  @Test func delaysHaveAFloor() {
    var table = HedgeTable(policy: HedgingPolicy(minimumDelay: .milliseconds(10), minimumSamples: 4))
    known(&table, time: .milliseconds(2))
    #expect(table.began("a") == .milliseconds(10))
    var negative = HedgeTable(policy: HedgingPolicy(minimumDelay: .seconds(-1), minimumSamples: -3))
    #expect(negative.began("a") == nil)
    known(&negative, time: .zero)
    #expect(negative.began("a") == .zero)
  }

  @Test(arguments: [0.05, 0.1, 1, 0, -1, .nan, 2, .infinity])
  func sharesHoldAtAnyTime(_ share: Double) {
    var table = HedgeTable(policy: HedgingPolicy(share: share, minimumSamples: 1))
    let bound = share > 0 ? min(share, 1) : 0
    var sent = 0
    for requests in 1...1_000 {
      _ = table.began("a")
      while table.spend() { sent += 1 }
      #expect(Double(sent) <= Double(requests) * bound + 1e-6)
    }
    #expect(sent == Int(1_000 * bound))
  }

  @Test func savingsAreLimited() {
    var table = HedgeTable(policy: HedgingPolicy(share: 0.5, burst: 3))
    for _ in 0..<100 { _ = table.began("a") }
    var sent = 0
    while table.spend() { sent += 1 }
    #expect(sent == 3)
    table.refund()
    #expect(table.spend() == true)
    #expect(table.spend() == false)
    for _ in 0..<100 { table.refund() }
    sent = 0
    while table.spend() { sent += 1 }
    #expect(sent == 3)
  }

  @Test func originsAreBounded() {
    var table = HedgeTable(policy: HedgingPolicy(minimumSamples: 1))
    for index in 0..<HedgeTable.maxOrigins { table.answered("\(index)", after: .milliseconds(20)) }
    // The first is in use again: the second has the oldest response.
    table.answered("0", after: .milliseconds(20))
    table.answered("new", after: .milliseconds(20))
    #expect(table.count == HedgeTable.maxOrigins)
    #expect(table.began("1") == nil)
    for origin in ["0", "2", "new"] { #expect(table.began(origin) == .milliseconds(20)) }
  }
}
