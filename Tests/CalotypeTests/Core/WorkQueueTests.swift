import CalotypeSupport
import CalotypeTestKit
import Testing

@testable import Calotype

/// Who may begin, and when.
@Suite("Work queue", .timeLimit(.minutes(5)))
struct WorkQueueTests {
  /// Notes who began, in which order, and lets them end one by one.
  private final class Log: Sendable {
    private let state = Lock([String]())
    var names: [String] { state.withLock { $0 } }
    func add(_ name: String) { state.withLock { $0.append(name) } }
  }

  /// A limit for pixels alone.
  private static func pixels(_ limit: Int) -> ImagePipeline.Memory {
    ImagePipeline.Memory(
      accounts: MemoryLedger(limit: limit, ceilings: [.encoded: 0, .arriving: 0, .stores: 0]))
  }

  private func claim(_ bytes: Int) -> WorkQueue.Claim { WorkQueue.Claim(bytes: bytes) }

  private func wait(_ queue: WorkQueue, waiting: Int) async throws {
    try await eventually { queue.statistics.waiting == waiting }
  }

  @Test("the limit is never exceeded, and raising it lets more begin at once")
  func limit() async throws {
    let queue = WorkQueue(limit: 2, now: { .zero })
    let gate = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await queue.run(priority: LivePriority(.medium)) { try await gate.wait() } }
      }
      try await wait(queue, waiting: 18)
      #expect(queue.statistics.running == 2)
      queue.limit = 5
      #expect(queue.statistics.running == 5)
      gate.open()
      try await group.waitForAll()
    }
    #expect(queue.statistics.peakRunning == 5)
    #expect(queue.statistics.running == 0)
    #expect(queue.statistics.waiting == 0)
  }

  @Test("one that waits for memory has it as soon as it is there, however many small ones wait before it")
  func blockedBehindMany() throws {
    let memory = Self.pixels(1_000)
    let queue = WorkQueue(limit: 2, memory: memory, now: { .zero })
    let log = Log()
    let held = try #require(memory.tryReserve(500, in: .decoded))
    func submit(_ name: String, bytes: Int, cost: Int64) {
      queue.submit(queue.number(), WorkQueue.Claim(cost: cost, bytes: bytes), level: { 0 }) { answer in
        guard case .turn = answer else { return }
        log.add(name)
      }
    }
    submit("large", bytes: 900, cost: 1_000_000_000)
    for _ in 0..<40 { submit("small", bytes: 1, cost: 1) }
    #expect(log.names.isEmpty)
    held.release()
    #expect(log.names.first == "large")
  }

  @Test(
    "the most urgent first, among equals the one that came first, also if it is moved to their level later"
  )
  func order() async throws {
    let queue = WorkQueue(limit: 1, now: { .zero })
    let (gate, log) = (Gate(), Log())
    let moved = LivePriority(.low)
    let lowered = LivePriority(.high)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await queue.run(priority: LivePriority(.medium)) { try await gate.wait() } }
      try await eventually { queue.statistics.running > 0 }
      let places: [(String, LivePriority)] = [
        ("low", LivePriority(.low)), ("moved", moved), ("first", LivePriority(.medium)),
        ("second", LivePriority(.medium)), ("high", LivePriority(.high)), ("lowered", lowered),
      ]
      for (index, (name, priority)) in places.enumerated() {
        group.addTask { try await queue.run(priority: priority) { log.add(name) } }
        try await wait(queue, waiting: index + 1)
      }
      moved.set(.high)
      moved.set(.background)
      moved.set(.medium)
      lowered.set(.background)
      gate.open()
      try await group.waitForAll()
    }
    #expect(log.names == ["high", "moved", "first", "second", "low", "lowered"])
  }

  @Test("who is cancelled while waiting never begins, and lets the others pass")
  func cancelled() async throws {
    let queue = WorkQueue(limit: 10, memory: Self.pixels(100), now: { .zero })
    let (gate, log) = (Gate(), Log())
    let running = Task {
      try await queue.run(priority: LivePriority(.medium), claim(60)) { try await gate.wait() }
    }
    try await eventually { queue.statistics.running > 0 }
    let large = Task {
      try await queue.run(priority: LivePriority(.high), claim(80)) { log.add("large") }
    }
    try await wait(queue, waiting: 1)
    let small = Task {
      try await queue.run(priority: LivePriority(.medium), claim(40)) { log.add("small") }
    }
    try await wait(queue, waiting: 2)
    #expect(log.names.isEmpty)
    large.cancel()
    await #expect(throws: CancellationError.self) { try await large.value }
    try await small.value
    #expect(log.names == ["small"])
    gate.open()
    try await running.value
    #expect(queue.statistics.running == 0)
  }

  @Test("work that throws frees its place")
  func throwing() async throws {
    struct Failure: Error {}
    let queue = WorkQueue(limit: 1, now: { .zero })
    for _ in 0..<10 {
      await #expect(throws: Failure.self) {
        try await queue.run(priority: LivePriority(.medium), claim(10)) { throw Failure() }
      }
    }
    #expect(queue.statistics.running == 0)
  }

  @Test("a suspended queue lets nobody begin; resumed, all that wait")
  func suspended() async throws {
    let queue = WorkQueue(limit: 3, now: { .zero })
    queue.isSuspended = true
    let log = Log()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<3 {
        group.addTask { try await queue.run(priority: LivePriority(.medium)) { log.add("\(index)") } }
      }
      try await wait(queue, waiting: 3)
      #expect(log.names.isEmpty)
      queue.isSuspended = false
      try await group.waitForAll()
    }
    #expect(log.names.count == 3)
  }

  @Test("bytes stay taken until they are given back; more than there are is refused")
  func bytes() async throws {
    let memory = Self.pixels(100)
    let queue = WorkQueue(limit: 10, memory: memory, now: { .zero })
    let first = try await queue.enter(priority: LivePriority(.medium), claim(70))
    first.end()
    #expect(memory.tryReserve(31, in: .decoded) == nil)
    let rest = memory.tryReserve(30, in: .decoded)
    #expect(rest != nil)
    let large = Task { try await queue.enter(priority: LivePriority(.medium), claim(100)) }
    try await wait(queue, waiting: 1)
    first.reservation?.release()
    first.reservation?.release()
    #expect(memory.statistics.bytes == 30)
    #expect(queue.statistics.waiting == 1)
    rest?.release()
    let turn = try await large.value
    #expect(memory.statistics.bytes == 100)
    turn.end()
    turn.reservation?.release()
    #expect(memory.statistics.bytes == 0)
    await #expect(throws: MemoryRefusal(bytes: 101, limit: 100)) {
      try await queue.enter(priority: LivePriority(.medium), claim(101))
    }
    #expect(queue.statistics.running == 0)
  }

  @Test("10,000 rounds of beginning, moving and being cancelled at once: nobody is lost, nothing stays taken")
  func races() async throws {
    let memory = Self.pixels(50)
    let queue = WorkQueue(limit: 3, memory: memory, now: { .zero })
    let outcomes = Lock((done: 0, cancelled: 0))
    await withTaskGroup(of: Void.self) { group in
      for round in 0..<10_000 {
        group.addTask {
          let priority = LivePriority(round % 2 == 0 ? .low : .high)
          let task = Task {
            try await queue.run(priority: priority, claim(round % 30)) { await Task.yield() }
          }
          priority.set(.medium)
          if round % 3 == 0 { task.cancel() }
          do {
            try await task.value
            outcomes.withLock { $0.done += 1 }
          } catch {
            #expect(error is CancellationError)
            outcomes.withLock { $0.cancelled += 1 }
          }
        }
        if round % 64 == 63 { await group.waitForAll() }
      }
    }
    #expect(outcomes.withLock { $0.done + $0.cancelled } == 10_000)
    #expect(outcomes.withLock { $0.done } >= 6_666)
    let statistics = queue.statistics
    #expect(statistics.running == 0)
    #expect(statistics.waiting == 0)
    #expect(memory.statistics.bytes == 0)
    #expect(statistics.peakRunning <= 3)
    #expect(memory.statistics.peakBytes <= 50)
  }

  @Test("nobody passes one that waits for memory for ever, unless they hold what it waits for")
  func passing() async throws {
    let memory = Self.pixels(100)
    let queue = WorkQueue(limit: 10, memory: memory, now: { .zero })
    // Held by somebody who needs no turn any more.
    let held = try #require(memory.tryReserve(50, in: .decoded))
    let (log, gate) = (Log(), Gate())
    let large = Task {
      try await queue.run(priority: LivePriority(.medium), claim(60)) {
        log.add("large")
        try await gate.wait()
      }
    }
    try await wait(queue, waiting: 1)
    let late = Task { try await queue.run(priority: LivePriority(.medium), claim(10)) { log.add("late") } }
    try await wait(queue, waiting: 2)
    let holder = WorkQueue.Claim(bytes: 10, held: WorkQueue.HeldBytes(1, of: log))
    try await queue.run(priority: LivePriority(.medium), holder) {
      log.add("holder")
    }
    #expect(log.names == ["holder"])
    held.release()
    try await late.value
    gate.open()
    try await large.value
    #expect(Set(log.names) == ["holder", "large", "late"])
  }
}
