import Testing

@testable import CalotypeServing

@Suite("Readiness")
struct ReadinessTests {
  @Test func ready() {
    #expect(Readiness().fault == nil)
    // The canary waits behind large images, which end now and then.
    #expect(Readiness(isPipelineAlive: false, standstill: .seconds(4), waiting: 9, running: 2).fault == nil)
  }

  @Test(arguments: [
    (Readiness(isDraining: true), "the server is shutting down"),
    (Readiness(isPipelineAlive: false), "the workers do not answer"),
    (Readiness(isPipelineAlive: false, standstill: .seconds(5), running: 1), "the workers do not answer"),
    (Readiness(standstill: .seconds(5), waiting: 1, running: 2), "1 jobs wait, and none has begun or ended"),
    (Readiness(isDiskWritable: false), "the disk of the cache cannot be written"),
  ])
  func faults(_ readiness: Readiness, _ fault: String) { #expect(readiness.fault == fault) }
}
