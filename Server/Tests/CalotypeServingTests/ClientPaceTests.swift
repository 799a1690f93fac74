import Testing

@testable import CalotypeServing

@Suite("Pace of clients")
struct ClientPaceTests {
  @Test func slowClientsAreRefused() {
    var pace = ClientPace(patience: .seconds(10))
    #expect(throws: ClientPace.TooSlow.self) {
      for _ in 0..<100 { try pace.took(64, in: .milliseconds(900)) }
    }
  }

  @Test func patientClientsMayPause() throws {
    var pace = ClientPace(patience: .seconds(10))
    try pace.took(1, in: .seconds(9))
    for _ in 0..<1000 { try pace.took(32 << 10, in: .seconds(1)) }
  }
}
