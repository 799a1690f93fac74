import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import CalotypeCaching

@Suite(.timeLimit(.minutes(2))) struct ManualMemoryPressureTests {
  /// Whoever cancels a listener holds a lock of its task while the source is told, and whoever reports may need that lock.
  @Test func reportsAndCancelledListenersDoNotWaitForEachOther() async {
    let source = ManualMemoryPressure()
    let isOver = Lock(false)
    let done = CalotypeTestKit.Gate()
    // A thread of its own: tasks of the pool would take turns with the listeners.
    Threads.start(name: "reporter") {
      var level = MemoryPressure.Level.normal
      while !isOver.withLock({ $0 }) {
        level = level == .normal ? .warning : .normal
        source.report(MemoryPressure(level))
      }
      done.open()
    }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<10_000 {
      let listener = Task { for await _ in source.pressures() {} }
      for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
      listener.cancel()
      await listener.value
    }
    isOver.withLock { $0 = true }
    try? await done.wait()
    #expect(source.listenerCount == 0)
  }

  @Test func theNewestReportIsNeverLost() async {
    for round in 0..<50 {
      let source = ManualMemoryPressure()
      let listeners = (0..<4).map { _ in
        let stream = source.pressures()
        return Task {
          var heard: [Int] = []
          for await pressure in stream { heard.append(pressure.memoryLimit ?? 0) }
          return heard
        }
      }
      let (numbers, threads) = (Lock(0), 4)
      let ready = (0..<threads).map { _ in CalotypeTestKit.Gate() }
      for gate in ready {
        Threads.start(name: "reporter") {
          for _ in 0..<100 {
            let number = numbers.withLock { numbers in
              numbers += 1
              return numbers
            }
            source.report(MemoryPressure(.normal, memoryLimit: number))
          }
          gate.open()
        }
      }
      for gate in ready { try? await gate.wait() }
      source.report(MemoryPressure(.critical, memoryLimit: 1_000_000 + round))
      source.finish()
      for listener in listeners { #expect(await listener.value.last == 1_000_000 + round) }
      // Late ones hear it too.
      var late: [Int] = []
      for await pressure in source.pressures() { late.append(pressure.memoryLimit ?? 0) }
      #expect(late == [1_000_000 + round])
    }
  }

  @Test func reportsOfOneThreadComeInTheirOrder() async {
    let source = ManualMemoryPressure()
    let stream = source.pressures()
    let listener = Task {
      var heard: [Int] = []
      for await pressure in stream { heard.append(pressure.memoryLimit ?? 0) }
      return heard
    }
    for number in 1...20_000 { source.report(MemoryPressure(.normal, memoryLimit: number)) }
    source.finish()
    let heard = await listener.value
    #expect(heard == heard.sorted() && Set(heard).count == heard.count && heard.last == 20_000)
  }
}
