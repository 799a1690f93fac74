import Glibc

/// The executor of an actor whose work blocks: one thread that runs jobs in order of arrival.
///
/// The thread starts with the first job and ends when the executor is released and no job is left.
package final class SerialThread: SerialExecutor {
  private let queue: SerialQueue

  /// - Parameter name: Thread name, as `top -H` shows it; at most 15 bytes.
  package init(name: String) {
    queue = SerialQueue(name: name)
  }

  deinit { queue.close() }

  package func enqueue(_ job: consuming ExecutorJob) {
    queue.push(.job(UnownedJob(job), asUnownedSerialExecutor()))
  }

  /// Runs `body` in order. Costs less than a task; inside it, `assumeIsolated` holds for the actors of this executor.
  package func schedule(_ body: @escaping @Sendable () -> Void) {
    queue.push(.body(body))
  }

  package func checkIsolated() {
    precondition(queue.isCurrentThread, "not on the thread of this executor")
  }

  package func isSameExclusiveExecutionContext(other: SerialThread) -> Bool { self === other }
}

/// The queued jobs.
private final class SerialQueue: Sendable {
  enum Item {
    case job(UnownedJob, UnownedSerialExecutor)
    case body(@Sendable () -> Void)
  }

  private struct State {
    var items: [Item] = []
    var isClosed = false
    var isStarted = false
    var thread: pthread_t?
  }

  private let state = Monitor(State())
  private let name: String

  init(name: String) {
    self.name = name
  }

  func push(_ item: Item) {
    // The caller need not keep the executor alive. The first job is safe, too: there is no thread yet that could end.
    let starts = state.withLock(waking: .one) { state in
      state.items.append(item)
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard starts else { return }
    Threads.start(name: name) { self.run() }
  }

  func close() {
    state.withLock(waking: .one) { $0.isClosed = true }
  }

  var isCurrentThread: Bool {
    state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  private func run() {
    state.withLock { $0.thread = pthread_self() }
    while true {
      let batch = take()
      if batch.isEmpty { return }
      for item in batch {
        switch item {
        case .job(let job, let executor): job.runSynchronously(on: executor)
        case .body(let body): body()
        }
      }
    }
  }

  /// Takes all queued jobs; sleeps until there is one. Returns nothing when the queue is closed and empty.
  private func take() -> [Item] {
    state.wait { state in
      if state.items.isEmpty { return state.isClosed ? [] : nil }
      defer { state.items = [] }
      return state.items
    }
  }
}
