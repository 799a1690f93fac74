import CalotypeCaching
import FoundationEssentials
import Testing

@testable import CalotypeTiers

/// The decisions of a call, without Redis.
@Suite struct FlightStateTests {
  private func held(_ left: Duration) -> FlightState.Event { .answered(.held(age: .zero, left: left)) }

  @Test func waitsForAMessageAtMostAQuarterOfASecond() {
    var state = FlightState(waits: true, deadline: nil)
    check(state.handle(held(.seconds(3)), at: .zero, spread: 0), is: .wait(.milliseconds(200)))
    check(state.handle(.waited, at: .milliseconds(200), spread: 0), is: .acquire)
    guard case .wait(let longest) = state.handle(held(.seconds(3)), at: .zero, spread: 1) else { return }
    #expect(abs((longest - .milliseconds(300)) / .milliseconds(1)) < 0.001)
    check(state.handle(.woken, at: .milliseconds(1), spread: 0), is: .acquire)
    // A dead holder is noticed when its lease ends.
    check(state.handle(held(.milliseconds(20)), at: .zero, spread: 0.5), is: .wait(.milliseconds(25)))
    check(
      state.handle(.answered(.lead(isHedge: false)), at: .zero, spread: 0), is: .end(.lead(isHedge: false)))
    #expect(state.waitCount == 3)
  }

  @Test func waitsUntilItsDeadline() {
    var state = FlightState(waits: true, deadline: .seconds(1))
    check(state.handle(held(.seconds(3)), at: .milliseconds(900), spread: 0), is: .wait(.milliseconds(100)))
    check(state.handle(.waited, at: .seconds(1), spread: 0), is: .end(.alone))
    check(state.handle(held(.seconds(3)), at: .seconds(1), spread: 0), is: .end(.alone))
  }

  @Test func refreshesDoNotWait() {
    var state = FlightState(waits: false, deadline: nil)
    check(state.handle(held(.seconds(3)), at: .zero, spread: 0), is: .end(.busy))
  }

  @Test func failuresOfRedisMeanAlone() {
    var state = FlightState(waits: true, deadline: nil)
    check(state.handle(.answered(.unavailable), at: .zero, spread: 0), is: .end(.alone))
    check(state.handle(.cancelled, at: .zero, spread: 0), is: .end(.alone))
  }

  @Test func outcomesEndTheCall() {
    var state = FlightState(waits: true, deadline: nil)
    let outcome = FlightOutcome.absent(status: 410)
    check(state.handle(.answered(.outcome(outcome)), at: .zero, spread: 0), is: .end(.outcome(outcome)))
  }

  @Test(arguments: [
    FlightOutcome.stored, .value(Data([1, 2])), .absent(status: 404), .isPrivate, .failed(code: "timedOut"),
    .failed(code: ""),
  ])
  func codesReadBack(_ outcome: FlightOutcome) {
    #expect(FlightOutcome(wireCode: Array(outcome.wireCode.utf8), value: [1, 2]) == outcome)
  }

  @Test(arguments: ["", "x", "sx", "a", "a40", "a200", "a4040", "f a", "v1", "p0"])
  func otherCodesAreRefused(_ code: String) {
    #expect(FlightOutcome(wireCode: Array(code.utf8), value: [1]) == nil)
    #expect(FlightOutcome(wireCode: [UInt8(ascii: "v")], value: nil) == nil)
  }

  @Test func codesOfErrorsAreShortWords() {
    let code = FlightOutcome.failed(code: "a b\n" + String(repeating: "x", count: 100)).wireCode
    #expect(code == "fab" + String(repeating: "x", count: 62))
  }

  @Test func slowFlightsAreThoseOfThreeTimesTheMean() {
    var durations = FlightDurations()
    #expect(durations.slowAge(host: "a") == .seconds(3))
    for _ in 0..<9 { durations.note(.milliseconds(100), host: "a") }
    #expect(durations.slowAge(host: "a") == .seconds(3), "few flights tell little")
    durations.note(.milliseconds(100), host: "a")
    #expect(durations.slowAge(host: "a") == .milliseconds(500))
    durations.note(.seconds(2), host: "b")
    #expect(durations.slowAge(host: "b") == .seconds(6))
    for _ in 0..<1_000 { durations.note(.seconds(2), host: "b") }
    #expect(durations.slowAge(host: "b") > .milliseconds(5_990))
    for index in 0..<1_000 { durations.note(.seconds(1), host: "host\(index)") }
    #expect(durations.count == FlightDurations.maxHosts)
    #expect(durations.slowAge(host: "a") == .seconds(3))
  }
}
