import Testing

@testable import CalotypeLoading

@Suite("Transfer queue")
struct TransferQueueTests {
  private func drain(_ queue: inout TransferQueue<Int>) -> [Int] {
    var result: [Int] = []
    while let id = queue.take() { result.append(id) }
    return result
  }

  @Test func firstInFirstOutWithinTheLimit() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 2, perHost: 2))
    for id in 0..<5 { queue.put(id, host: id % 2 == 0 ? "a" : "b") }
    #expect(drain(&queue) == [0, 1])
    #expect(queue.running == 2 && queue.count == 3)
    queue.finished(host: "b")
    #expect(drain(&queue) == [2])
    queue.finished(host: "a")
    queue.finished(host: "a")
    #expect(drain(&queue) == [3, 4])
  }

  @Test func busyHostsArePassed() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 10, perHost: 1))
    for id in 0..<3 { queue.put(id, host: "a") }
    queue.put(3, host: "b")
    #expect(drain(&queue) == [0, 3])
    queue.finished(host: "a")
    #expect(drain(&queue) == [1])
  }

  @Test func removal() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 1, perHost: 1))
    for id in 0..<200 { queue.put(id, host: "a") }
    var taken: [Int] = []
    for id in stride(from: 1, to: 200, by: 2) { #expect({ queue.remove(id) }()) }
    #expect({ !queue.remove(1) }())
    while let id = queue.take() {
      taken.append(id)
      #expect({ !queue.remove(id) }())
      queue.finished(host: "a")
    }
    #expect(taken == Array(stride(from: 0, to: 200, by: 2)))
    #expect(queue.count == 0 && queue.running == 0)
  }

  @Test func limitsBelowOneCountAsOne() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 0, perHost: -1))
    queue.put(1, host: "a")
    #expect(drain(&queue) == [1])
  }

  @Test func lastInFirstOut() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 1, perHost: 1), order: .lifo)
    queue.put(0, host: "a")
    #expect(queue.take() == 0)
    for id in 1..<5 { queue.put(id, host: "a") }
    var order: [Int] = []
    queue.finished(host: "a")
    while let id = queue.take() {
      order.append(id)
      queue.finished(host: "a")
    }
    #expect(order == [4, 3, 2, 1])
  }

  @Test func prioritiesGoFirstAndCanChange() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 100, perHost: 100))
    for id in 0..<4 { queue.put(id, host: "a", priority: 10) }
    queue.put(4, host: "a", priority: 20)
    queue.put(5, host: "b", priority: 5)
    queue.prioritise(3, 20)
    queue.prioritise(5, 10)
    queue.prioritise(99, 10)
    // Who was moved goes behind those that were there; the other host has its turn before the first one's next.
    #expect(drain(&queue) == [4, 3, 5, 0, 1, 2])
  }

  @Test(arguments: [TransferQueue<Int>.Order.fifo, .lifo])
  func whoIsMovedGoesBehindThoseOfTheLevel(order: TransferQueue<Int>.Order) {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 100, perHost: 100), order: order)
    for id in 0..<3 { queue.put(id, host: "a", priority: 10) }
    for id in 3..<5 { queue.put(id, host: "a", priority: 20) }
    // Up and down again, up, and to where it is.
    queue.prioritise(0, 20)
    queue.prioritise(0, 10)
    queue.prioritise(1, 20)
    queue.prioritise(3, 20)
    queue.put(5, host: "a", priority: 20)
    // Who comes later is behind whoever was moved before it, or before all when the last goes first.
    #expect(drain(&queue) == (order == .fifo ? [3, 4, 1, 5, 2, 0] : [5, 4, 3, 1, 2, 0]))
  }

  @Test func movedWhileTheHostIsBusy() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 10, perHost: 1))
    for id in 0..<4 { queue.put(id, host: "a", priority: 10) }
    #expect(drain(&queue) == [0])
    // All others stand in line for their host now.
    queue.prioritise(1, 20)
    queue.prioritise(1, 5)
    queue.prioritise(3, 20)
    var order: [Int] = []
    for _ in 0..<3 {
      queue.finished(host: "a")
      order += drain(&queue)
    }
    #expect(order == [3, 2, 1])
  }

  @Test func limitsChangeWhileTransfersRun() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 3, perHost: 1))
    for id in 0..<4 { queue.put(id, host: "a") }
    for id in 4..<8 { queue.put(id, host: "b") }
    #expect(drain(&queue) == [0, 4])
    queue.setLimits(.init(concurrent: 3, perHost: 3))
    #expect(drain(&queue) == [1])
    queue.setLimits(.init(concurrent: 1, perHost: 1))
    for host in ["a", "a", "b"] { queue.finished(host: host) }
    #expect(queue.running == 0)
    // The other host's turn: the first one had the last.
    #expect(drain(&queue) == [5])
    queue.setLimits(.init(concurrent: 10, perHost: 10))
    #expect(drain(&queue) == [2, 6, 3, 7])
    #expect(queue.count == 0 && queue.running == 5)
  }
}
