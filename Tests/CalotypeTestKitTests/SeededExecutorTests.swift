import CalotypeSupport
import CalotypeTestKit
import Testing

/// The same seed is the same order, and some seed finds what is wrong.
@Suite("Seeded executor", .timeLimit(.minutes(5)))
struct SeededExecutorTests {
  /// Forgets between reading and writing that others write too.
  private actor Counter {
    private(set) var value = 0

    func increment(_ work: @Sendable () async -> Void) async {
      let seen = value
      await work()
      value = seen + 1
    }

    func incrementSafely(_ work: @Sendable () async -> Void) async {
      await work()
      value += 1
    }
  }

  private struct LostUpdate: Error {}

  /// What was done, by whom.
  private final class Trace: Sendable {
    private let steps = Lock<[String]>([])

    var all: [String] { steps.withLock { $0 } }

    func note(_ step: String) { steps.withLock { $0.append(step) } }
  }

  private static let done = Lock(0)

  /// Leaves the actor. Without any work, the optimiser would leave out the way there and back.
  @concurrent
  private static func work() async { done.withLock { $0 &+= 1 } }

  /// Ways of being suspended.
  private enum Pause: CaseIterable {
    case elsewhere
    case otherActor
    case yield
    case child

    func callAsFunction() async {
      switch self {
      case .elsewhere: await work()
      case .otherActor: await Counter().increment {}
      case .yield: await Task.yield()
      case .child:
        async let child: Void = work()
        await child
      }
    }
  }

  @Test("an update lost across an await is found, and again with its seed", arguments: Pause.allCases)
  private func lostUpdate(pause: Pause) async throws {
    let body = { @Sendable () async throws -> Void in
      let counter = Counter()
      async let first: Void = counter.increment { await pause() }
      async let second: Void = counter.increment { await pause() }
      _ = await (first, second)
      guard await counter.value == 2 else { throw LostUpdate() }
    }
    var failed: UInt64?
    do {
      try await SeededExecutor.explore(seeds: 0..<300, body)
    } catch let failure as SeedFailure {
      #expect(failure.underlying is LostUpdate)
      #expect(failure.description.contains("seed \(failure.seed)"))
      failed = failure.seed
    }
    let seed = try #require(failed)
    for _ in 0..<10 {
      await #expect(throws: LostUpdate.self) { try await SeededExecutor.run(seed: seed, body) }
    }
    // It is one order among others: some seeds do not find it.
    var passes = 0
    for seed in 0..<UInt64(300) where (try? await SeededExecutor.run(seed: seed, body)) != nil { passes += 1 }
    #expect(passes > 0)
  }

  @Test("what is right is right under every seed")
  func sound() async throws {
    try await SeededExecutor.explore(seeds: 0..<300) {
      let counter = Counter()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<5 { group.addTask { await counter.incrementSafely { await Self.work() } } }
      }
      guard await counter.value == 5 else { throw LostUpdate() }
    }
  }

  @Test("the same seed makes the same trace, another one another")
  func repeatable() async throws {
    var traces: Set<[String]> = []
    for seed in 0..<UInt64(50) {
      let first = try await trace(seed)
      #expect(first.count == 4 * 5 * 3)
      for _ in 0..<3 { try #require(try await trace(seed) == first) }
      traces.insert(first)
    }
    #expect(traces.count > 40)
  }

  /// Tasks, child tasks, two actors, gates, yields, cancellation.
  private func trace(_ seed: UInt64) async throws -> [String] {
    try await SeededExecutor.run(seed: seed) {
      let trace = Trace()
      let counters = [Counter(), Counter()]
      let gate = Gate()
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            for step in 0..<5 {
              trace.note("\(task).\(step)")
              await counters[(task + step) % 2].increment {
                trace.note("\(task).\(step) in")
                await Self.work()
              }
              if task == 0, step == 2 { gate.open() }
              if step == 2 { try? await gate.wait() }
              await Task.yield()
              trace.note("\(task).\(step) out")
            }
          }
        }
      }
      return trace.all
    }
  }

  @Test("jobs run one at a time, on one thread")
  func oneAtATime() async throws {
    let running = Lock((now: 0, most: 0))
    let executor = SeededExecutor(seed: 1)
    try await executor.run {
      #expect(SeededExecutor.current === executor)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask { @concurrent in
            for _ in 0..<20 {
              running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
              running.withLock { $0.now -= 1 }
              await Self.work()
            }
          }
        }
      }
    }
    #expect(running.withLock { $0.most } == 1)
    #expect(executor.turns > 50)
    #expect(SeededExecutor.current == nil)
  }

  @Test("unstructured tasks take part when they are told to, and results and errors come out")
  func unstructured() async throws {
    let sum = try await SeededExecutor.run(seed: 3) {
      let task = Task(executorPreference: SeededExecutor.current) { 20 }
      return await task.value + 3
    }
    #expect(sum == 23)
    await #expect(throws: LostUpdate.self) { try await SeededExecutor.run(seed: 3) { throw LostUpdate() } }
  }

  @Test("it waits for work elsewhere")
  func elsewhere() async throws {
    let (asked, gate) = (Gate(), Gate())
    async let result = SeededExecutor.run(seed: 5) {
      asked.open()
      try await gate.wait()
      return await Task.detached { 7 }.value
    }
    try await asked.wait()
    gate.open()
    #expect(try await result == 7)
  }

  @Test("a cancelled exploration ends between two seeds")
  func cancelled() async throws {
    let runs = Lock(0)
    let task = Task {
      try await SeededExecutor.explore(seeds: 0..<1000) {
        runs.withLock { $0 += 1 }
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.withLock { $0 } == 1)
  }
}
