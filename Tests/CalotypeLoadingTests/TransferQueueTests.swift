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

/// A queue that has places for all that come takes them at once; nobody can tell.
@Suite("Transfer queue with places for all")
struct FreeTransferQueueTests {
  /// Every short sequence of steps on two hosts, against a queue in which something waits that never gets a place, so that
  /// everything goes the long way.
  @Test("short sequences of steps start the same transfers as in a queue that orders them")
  func equivalence() {
    for shared in [false, true] {
      let limits = TransferLimits(concurrent: shared ? 5 : 3, perHost: shared ? 4 : 3)
      for number in 0..<(5 * 5 * 5 * 5 * 5 * 5 * 5) {
        var code = number
        var steps: [Int] = []
        for _ in 0..<7 {
          steps.append(code % 5)
          code /= 5
        }
        let free = Self.run(steps, limits, orders: false)
        let ordered = Self.run(steps, limits, orders: true)
        #expect(free == ordered, "\(steps)")
        if free != ordered { return }
      }
    }
  }

  /// Which transfers ran after each step, and how many waited and ran.
  ///
  /// - Parameter orders: Whether a change of a priority that nobody has puts all in line after each step.
  private static func run(_ steps: [Int], _ limits: TransferLimits, orders: Bool) -> [[Int]] {
    var queue = TransferQueue<Int>(limits: limits)
    var running: [(id: Int, host: String)] = []
    var hosts: [Int: String] = [:]
    var result: [[Int]] = []
    for (index, step) in steps.enumerated() {
      switch step {
      case 0, 1:
        hosts[index] = step == 0 ? "a" : "b"
        queue.put(index, host: step == 0 ? "a" : "b")
      case 2:
        // Two in one turn.
        for id in [index, index + 100] {
          hosts[id] = "a"
          queue.put(id, host: "a")
        }
      case 3:
        guard !running.isEmpty else { continue }
        queue.finished(host: running.removeFirst().host)
      default:
        guard let last = running.popLast() else { continue }
        queue.finished(host: last.host)
      }
      if orders { queue.prioritise(-1, 0) }
      while let id = queue.take() { running.append((id, hosts[id] ?? "")) }
      result.append(running.map(\.id).sorted() + [-queue.count, -queue.running])
    }
    return result
  }

  private func drain(_ queue: inout TransferQueue<Int>) -> [Int] {
    var result: [Int] = []
    while let id = queue.take() { result.append(id) }
    return result
  }

  @Test("transfers that have no order yet can be taken out, and given priorities")
  func changes() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 4, perHost: 4))
    for id in 0..<3 { queue.put(id, host: "a") }
    #expect(queue.count == 3)
    #expect({ queue.remove(1) }() && { !queue.remove(1) }())
    queue.prioritise(2, 9)
    #expect(queue.take() == 2)
    #expect(queue.take() == 0)
    #expect(queue.take() == nil && queue.count == 0 && queue.running == 2)
    // Between two that start at once, another one comes.
    for host in ["a", "a"] { queue.finished(host: host) }
    for id in 3..<6 { queue.put(id, host: "b") }
    #expect(queue.take() == 3)
    for id in 6..<8 { queue.put(id, host: "b") }
    #expect(drain(&queue) == [4, 5, 6] && queue.count == 1)
    queue.finished(host: "b")
    #expect(queue.take() == 7)
    for _ in 0..<4 { queue.finished(host: "b") }
    #expect(queue.running == 0 && queue.count == 0)
  }
}
