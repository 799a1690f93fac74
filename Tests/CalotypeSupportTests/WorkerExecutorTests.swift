import CalotypeSupport
import Testing

@Suite("Worker executor")
struct WorkerExecutorTests {
  /// The last job may release its executor while the thread that enqueued it is still inside `enqueue`: what is then
  /// touched is freed memory, which breaks the heap sooner or later.
  @Test("executors may go with their last job")
  func shortLives() async {
    await withTaskGroup(of: Int.self) { group in
      for lane in 0..<8 {
        group.addTask { @concurrent in
          var sum = 0
          for round in 0..<150 {
            let executor = WorkerExecutor(name: "short-lived", threads: 2)
            await withTaskGroup(of: Int?.self) { jobs in
              for job in 0..<4 {
                jobs.addTask { try? await executor.run { () throws -> Int in lane + round + job } }
              }
              for await value in jobs { sum += value ?? .min }
            }
          }
          return sum
        }
      }
      var sum = 0
      for await value in group { sum += value }
      // Σ lane + Σ round + Σ job, each times the numbers of the other two.
      #expect(sum == 28 * 150 * 4 + 11_175 * 8 * 4 + 6 * 8 * 150)
    }
  }

  @Test("errors of the body come out")
  func errors() async {
    struct Failure: Error {}
    let executor = WorkerExecutor(name: "errors", threads: 1)
    await #expect(throws: Failure.self) { try await executor.run { () throws in throw Failure() } }
  }

  @Test("a task cancelled before its turn does not start")
  func cancelled() async {
    let executor = WorkerExecutor(name: "cancelled", threads: 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await executor.run { () throws in Issue.record("started") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
