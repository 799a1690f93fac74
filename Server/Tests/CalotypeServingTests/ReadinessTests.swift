import Testing

@testable import CalotypeServing

@Suite("Readiness")
struct ReadinessTests {
  @Test func ready() {
    #expect(Readiness().fault == nil)
    // The canary waits behind large images, which end now and then.
    #expect(Readiness(misses: 9, standstill: .seconds(4), waiting: 9, running: 2).fault == nil)
    // One late image is a busy machine, however long nothing else was done.
    #expect(Readiness(misses: 1, standstill: .seconds(60)).fault == nil)
  }

  @Test func missesInARow() {
    var count = MissCount()
    count.end(isAlive: false, before: 0)
    // At the same time as the first one.
    count.end(isAlive: false, before: 0)
    #expect(count.misses == 1)
    count.end(isAlive: false, before: 1)
    #expect(count.misses == 2)
    count.end(isAlive: true, before: 1)
    // Begun before the image that came in time.
    count.end(isAlive: false, before: 2)
    #expect(count.misses == 0)
  }

  @Test(arguments: [
    (Readiness(isDraining: true), "the server is shutting down"),
    (Readiness(misses: 2), "the workers do not answer"),
    (Readiness(misses: 2, standstill: .seconds(5), running: 1), "the workers do not answer"),
    (Readiness(standstill: .seconds(5), waiting: 1, running: 2), "1 jobs wait, and none has begun or ended"),
    (Readiness(isDiskWritable: false), "the disk of the cache cannot be written"),
  ])
  func faults(_ readiness: Readiness, _ fault: String) { #expect(readiness.fault == fault) }
}
