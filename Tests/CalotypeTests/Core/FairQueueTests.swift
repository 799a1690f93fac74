import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import Calotype

/// Who goes next, decided without waiting.
@Suite("Fair queue", .timeLimit(.minutes(5)))
struct FairQueueTests {
  private typealias Queue = FairQueue<String>

  /// Takes the next entry, which ends at once.
  private func take(_ queue: inout Queue, flows: [Int: String] = [:]) -> Int? {
    let id = queue.next(mayRun: { _, _ in true }).id
    if let id, let flow = flows[id] { queue.finish(flow) }
    return id
  }

  @Test("a flow with thousands of entries delays another by no more than one turn in two")
  func flood() {
    var queue = Queue()
    var flows: [Int: String] = [:]
    for id in 1...5_000 {
      queue.insert(id, flow: "flood", level: 21, cost: 1_000, now: Int64(id))
      flows[id] = "flood"
    }
    for _ in 0..<100 { _ = take(&queue, flows: flows) }
    for id in 5_001...5_010 {
      queue.insert(id, flow: "other", level: 21, cost: 1_000, now: Int64(id))
      flows[id] = "other"
    }
    var turns: [Int] = []
    for turn in 1...40 {
      if let id = take(&queue, flows: flows), id > 5_000 { turns.append(turn) }
    }
    #expect(turns.count == 10)
    #expect(turns.first ?? .max <= 3)
    #expect(turns.last ?? .max <= 26)
  }

  @Test("cheap work overtakes expensive work, which is overtaken for no longer than eight times its cost")
  func ageing() {
    var queue = Queue()
    let heavy: Int64 = 1_000_000
    var now: Int64 = 0
    for id in 1...16 { queue.insert(id, flow: "a", level: 21, cost: heavy, now: now) }
    var id = 16
    var waited: [Int: Int64] = [:]
    var arrival: [Int: Int64] = [:]
    // One at a time, and a cheap one comes for each that is done: more work than can be done.
    for _ in 0..<4_000 {
      id += 1
      arrival[id] = now
      queue.insert(id, flow: "a", level: 21, cost: 10_000, now: now)
      guard let next = queue.next(mayRun: { _, _ in true }).id else { break }
      queue.finish("a")
      waited[next] = now - (arrival[next] ?? 0)
      now += next <= 16 ? heavy : 10_000
    }
    // All were done although cheap ones kept coming.
    #expect((1...16).allSatisfy { waited[$0] != nil })
    let longest = (1...16).compactMap { waited[$0] }.max() ?? 0
    #expect(longest <= (8 + 16 + 4) * heavy)
    // A cheap one that comes while the expensive ones wait goes before them, but for the turn of the oldest.
    #expect((17...20).allSatisfy { waited[$0] ?? .max <= 2 * heavy })
  }

  @Test("a low priority under a constant stream of a high one: one turn in eight")
  func noStarvation() {
    var queue = Queue()
    var id = 0
    for _ in 0..<20 {
      id += 1
      queue.insert(id, flow: "low", level: 9, cost: 1, now: 0)
    }
    var low = 0
    for turn in 1...800 {
      id += 1
      queue.insert(id, flow: "high", level: 25, cost: 1, now: Int64(turn))
      guard let next = queue.next(mayRun: { _, _ in true }).id else { break }
      queue.finish(next <= 20 ? "low" : "high")
      if next <= 20 { low += 1 }
      if low == 20 {
        #expect(turn <= 170)
        return
      }
    }
    Issue.record("only \(low) of 20")
  }

  @Test("a flow that may not run is passed, and goes on when it may")
  func limited() {
    var queue = Queue()
    for id in 1...10 { queue.insert(id, flow: "slow", level: 21, cost: 1, now: 0) }
    queue.insert(11, flow: "fast", level: 9, cost: 1, now: 0)
    let mayRun: (String, Int) -> Bool = { flow, running in flow != "slow" || running < 2 }
    let first = (0..<4).map { _ in queue.next(mayRun: mayRun).id }
    #expect(first == [1, 2, 11, nil])
    queue.finish("slow")
    let next = queue.next(mayRun: mayRun).id
    #expect(next == 3)
  }

  @Test("one that does not fit is told, and passed by those that do")
  func blocked() {
    var queue = Queue()
    for id in 1...3 { queue.insert(id, flow: "a", level: 21, cost: 1, now: 0) }
    let found = queue.next(mayRun: { _, _ in true }) { $0 != 1 }
    #expect(found.id == 2)
    #expect(found.blocked == [1])
    let next = queue.next(mayRun: { _, _ in true }).id
    #expect(next == 1)
  }

  @Test(
    "100,000 random steps beside a model: nobody is lost, doubled, or before a more urgent one of its flow")
  func model() {
    var random = SeededGenerator(seed: 7)
    var queue = Queue()
    var waiting: [Int: (flow: String, level: UInt8)] = [:]
    var running: [String: Int] = [:]
    var id = 0
    for step in 0..<100_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        id += 1
        let flow = "\(Int.random(in: 0..<20, using: &random))"
        let level = UInt8([9, 17, 21, 25].randomElement(using: &random) ?? 9)
        queue.insert(
          id, flow: flow, level: level, cost: .random(in: 0...1_000_000, using: &random), now: Int64(step))
        waiting[id] = (flow, level)
      case 4:
        guard let moved = waiting.keys.randomElement(using: &random) else { continue }
        queue.move(moved, to: 25)
        waiting[moved]?.level = 25
      case 5:
        guard let removed = waiting.keys.randomElement(using: &random) else { continue }
        let (isRemoved, isThereStill) = (queue.remove(removed), queue.remove(removed))
        #expect(isRemoved && !isThereStill)
        waiting[removed] = nil
      case 6:
        guard let flow = running.keys.randomElement(using: &random), let count = running[flow] else {
          continue
        }
        queue.finish(flow)
        running[flow] = count > 1 ? count - 1 : nil
      default:
        let found = queue.next { _, running in running < 3 }.id
        let eligible = waiting.filter { running[$0.value.flow] ?? 0 < 3 }
        #expect((found == nil) == eligible.isEmpty)
        guard let found, let place = waiting.removeValue(forKey: found) else { continue }
        running[place.flow, default: 0] += 1
      }
      #expect(queue.count == waiting.count)
    }
    #expect(queue.flowCount <= 20)
  }
}
