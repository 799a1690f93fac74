import CalotypeTestKit
import Testing

@testable import CalotypeLoading

@Suite("Fairness among hosts")
struct QueueFairnessTests {
  /// The defaults of a loader.
  private let defaults = TransferLimits(concurrent: 32, perHost: 6)

  private func drain(_ queue: inout TransferQueue<Int>) -> [Int] {
    var result: [Int] = []
    while let id = queue.take() { result.append(id) }
    return result
  }

  @Test func aLongQueueDelaysAnotherHostByOneTurn() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 1, perHost: 1))
    for id in 0..<5_000 { queue.put(id, host: "busy") }
    #expect(queue.take() == 0)
    queue.put(10_000, host: "other")
    queue.put(10_001, host: "other")
    queue.put(20_000, host: "third")
    var order: [Int] = []
    for host in ["busy", "busy", "other", "third", "busy", "other", "busy"] {
      queue.finished(host: host)
      if let id = queue.take() { order.append(id) }
    }
    #expect(order == [1, 10_000, 20_000, 2, 10_001, 3, 4])
  }

  @Test func hostsThatComeAndGoDoNotPassThoseThatWait() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 1, perHost: 1))
    queue.put(0, host: "running")
    #expect(queue.take() == 0)
    queue.put(1, host: "patient")
    queue.put(2, host: "running")
    // Always a host that was never served.
    var last = "running"
    var order: [Int] = []
    for id in 100..<104 {
      queue.put(id, host: "new \(id)")
      queue.finished(host: last)
      guard let taken = queue.take() else { continue }
      order.append(taken)
      last = taken >= 100 ? "new \(taken)" : taken == 1 ? "patient" : "running"
    }
    #expect(order == [1, 2, 100, 101])
  }

  /// Of eight turns that would pass over it, the eighth is its own.
  @Test func lowPriorityIsNotStarved() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 1, perHost: 1))
    queue.put(-1, host: "a", priority: 5)
    queue.put(-2, host: "b", priority: 1)
    var order: [Int] = []
    for id in 0..<20 {
      queue.put(id, host: "a", priority: 20)
      guard let taken = queue.take() else { continue }
      order.append(taken)
      queue.finished(host: taken == -2 ? "b" : "a")
    }
    #expect(order.firstIndex(of: -1) == 7)
    #expect(order.firstIndex(of: -2) == 15)
    #expect(order.filter { $0 >= 0 } == Array(0..<18))
  }

  @Test(arguments: 1...7) func hostsThatNeverAnswerLeavePlaces(count: Int) {
    var queue = TransferQueue<Int>(limits: defaults)
    for round in 0..<100 {
      for host in 0..<count { queue.put(host * 1_000 + round, host: "silent \(host)") }
      _ = drain(&queue)
    }
    #expect(queue.running <= 31)
    #expect(count > 4 || queue.running == 6 * count)
    queue.put(-1, host: "fast")
    #expect(queue.take() == -1)
  }

  @Test func holdsFewerThanAreFree() {
    var queue = TransferQueue<Int>(limits: .init(concurrent: 8, perHost: 7))
    for id in 0..<20 { queue.put(id, host: "a") }
    // 4 held, 4 free.
    #expect(drain(&queue).count == 4)
    for id in 20..<40 { queue.put(id, host: "b") }
    // 2 held, 2 free.
    #expect(drain(&queue).count == 2)
    // A host that holds none takes what there is.
    queue.put(40, host: "c")
    queue.put(41, host: "c")
    queue.put(42, host: "d")
    #expect(drain(&queue) == [40, 42])
    #expect(queue.running == 8)
    // What is given back may go to all that hold fewer than are free then: `a` holds 3, and 1 is free.
    queue.finished(host: "a")
    #expect(drain(&queue).isEmpty)
    queue.finished(host: "c")
    #expect(drain(&queue) == [41])
    for host in ["a", "a"] { queue.finished(host: host) }
    #expect(drain(&queue) == [4])
  }

  @Test(arguments: [(1, 6), (2, 1), (3, 2), (3, 6), (6, 6), (64, 64), (5, 100)])
  func smallAndUndividedLimitsAreThoseThatWereAsked(concurrent: Int, perHost: Int) {
    var queue = TransferQueue<Int>(limits: .init(concurrent: concurrent, perHost: perHost))
    for id in 0..<200 { queue.put(id, host: "a") }
    #expect(drain(&queue).count == min(concurrent, perHost))
    #expect(queue.limits.queuedPerHost(waiting: 1_000) == .max)
  }

  @Test func queueIsShared() {
    let limits = TransferLimits(concurrent: 32, perHost: 6, queued: 1_000)
    #expect(limits.queuedPerHost(waiting: 0) == 1_000)
    #expect(limits.queuedPerHost(waiting: 500) == 500)
    #expect(limits.queuedPerHost(waiting: 999) == 1)
    #expect(limits.queuedPerHost(waiting: 2_000) == 0)
    #expect(limits.queuedPerHost(waiting: -32) == 1_000)
    #expect(
      TransferLimits(concurrent: -1, perHost: .min, queued: -1) == .init(concurrent: 1, perHost: 1, queued: 0)
    )
  }

  /// A list that is searched anew each time, in the order in which transfers of one host and priority go.
  private struct Model {
    struct Waiting {
      let id: Int, host: String, arrival: Int
      var priority: UInt8
    }
    let order: TransferQueue<Int>.Order
    var limits: TransferLimits
    var list: [Waiting] = []
    var running: [String] = []
    var turns: [String: Int] = [:]
    var clock = 0
    var overtakings = 0

    mutating func put(_ id: Int, _ host: String, _ priority: UInt8) {
      clock += 1
      if !list.contains(where: { $0.host == host }) { turns[host] = clock }
      let entry = Waiting(id: id, host: host, arrival: clock, priority: priority)
      list.insert(entry, at: order == .fifo ? list.count : 0)
    }

    mutating func prioritise(_ index: Int, _ priority: UInt8) {
      guard list[index].priority != priority else { return }
      var entry = list.remove(at: index)
      entry.priority = priority
      list.append(entry)
    }

    private func mayRun(_ host: String) -> Bool {
      let held = running.count { $0 == host }
      let free = limits.concurrent - running.count
      let isShared = limits.concurrent >= 4 && limits.perHost < limits.concurrent
      return free > 0 && held < limits.perHost && (held == 0 || !isShared || held < free)
    }

    mutating func take() -> Int? {
      let eligible = list.filter { mayRun($0.host) }
      guard let top = eligible.map(\.priority).max() else { return nil }
      let oldest = eligible.min { $0.arrival < $1.arrival }
      let turn = eligible.filter { $0.priority == top }.min {
        turns[$0.host, default: 0] < turns[$1.host, default: 0]
      }
      var next = turn.flatMap { turn in eligible.first { $0.host == turn.host && $0.priority == top } }
      if let oldest, oldest.priority < top {
        overtakings += 1
        if overtakings == 8 { (overtakings, next) = (0, oldest) }
      }
      guard let next else { return nil }
      clock += 1
      turns[next.host] = clock
      list.removeAll { $0.id == next.id }
      running.append(next.host)
      return next.id
    }
  }

  @Test(arguments: [TransferQueue<Int>.Order.fifo, .lifo], 1...20 as ClosedRange<UInt64>)
  func agreesWithAnObviousQueue(order: TransferQueue<Int>.Order, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    let limits = TransferLimits(concurrent: 8, perHost: 4)
    var queue = TransferQueue<Int>(limits: limits, order: order)
    var model = Model(order: order, limits: limits)
    for id in 0..<2_000 {
      switch random(12) {
      case 0...5:
        let (host, priority) = ("\(random(6))", UInt8(random(3)))
        queue.put(id, host: host, priority: priority)
        model.put(id, host, priority)
      case 6 where !model.list.isEmpty:
        let entry = model.list.remove(at: random(model.list.count))
        #expect({ queue.remove(entry.id) }())
      case 7 where !model.list.isEmpty:
        let (index, priority) = (random(model.list.count), UInt8(random(3)))
        queue.prioritise(model.list[index].id, priority)
        model.prioritise(index, priority)
      case 8:
        let limits = TransferLimits(concurrent: 1 + random(12), perHost: 1 + random(8))
        queue.setLimits(limits)
        model.limits = limits
      default:
        guard !model.running.isEmpty else { continue }
        queue.finished(host: model.running.remove(at: random(model.running.count)))
      }
      while true {
        let (taken, expected) = (queue.take(), model.take())
        guard taken == expected else {
          Issue.record("\(String(describing: taken)) instead of \(String(describing: expected))")
          return
        }
        if taken == nil { break }
      }
      #expect(queue.count == model.list.count && queue.running == model.running.count)
    }
  }
}
