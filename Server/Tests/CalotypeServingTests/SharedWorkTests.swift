import Synchronization
import Testing

@testable import CalotypeServing

@Suite("Shared work", .timeLimit(.minutes(1)))
struct SharedWorkTests {
  /// Work that ends when it is told to.
  private final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    let started = Mutex(0)
    let cancelled = Mutex(0)

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func work() async throws -> Int {
      started.withLock { $0 += 1 }
      for await _ in stream {}
      if Task.isCancelled { cancelled.withLock { $0 += 1 } }
      try Task.checkCancellation()
      return 7
    }
  }

  private struct Wrong: Error {}

  /// Waits for a condition that other tasks bring about.
  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func equalKeysShare() async throws {
    let (shared, gate) = (SharedWork<String, Int>(), Gate())
    let tasks = (0..<100).map { _ in Task { try await shared.value(for: "a") { try await gate.work() } } }
    try await until { shared.statistics.joined == 99 }
    gate.open()
    for task in tasks { #expect(try await task.value == 7) }
    #expect(gate.started.withLock(\.self) == 1)
    #expect(shared.count == 0)
  }

  @Test func aLeaderThatLeavesHurtsNobody() async throws {
    let (shared, gate) = (SharedWork<String, Int>(), Gate())
    let leader = Task { try await shared.value(for: "a") { try await gate.work() } }
    try await until { gate.started.withLock(\.self) == 1 }
    let other = Task { try await shared.value(for: "a") { try await gate.work() } }
    try await until { shared.statistics.joined == 1 }
    leader.cancel()
    await #expect(throws: CancellationError.self) { try await leader.value }
    gate.open()
    #expect(try await other.value == 7)
    #expect(gate.cancelled.withLock(\.self) == 0)
  }

  @Test func theLastThatLeavesCancels() async throws {
    let (shared, gate) = (SharedWork<String, Int>(), Gate())
    let tasks = (0..<3).map { _ in Task { try await shared.value(for: "a") { try await gate.work() } } }
    try await until { shared.statistics.joined == 2 && gate.started.withLock(\.self) == 1 }
    for task in tasks { task.cancel() }
    try await until { gate.cancelled.withLock(\.self) == 1 }
    #expect(shared.count == 0)
    // Work with the same key begins anew.
    #expect(try await shared.value(for: "a") { 8 } == 8)
  }

  @Test func errorsReachAll() async throws {
    let (shared, gate) = (SharedWork<String, Int>(), Gate())
    let tasks = (0..<3).map { _ in
      Task {
        try await shared.value(for: "a") {
          _ = try await gate.work()
          throw Wrong()
        }
      }
    }
    try await until { shared.statistics.joined == 2 }
    gate.open()
    for task in tasks { await #expect(throws: Wrong.self) { try await task.value } }
  }

  @Test func aCancelledCallerStartsNothing() async {
    let shared = SharedWork<String, Int>()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await shared.value(for: "a") { 1 }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(shared.statistics.started == 0)
  }
}
