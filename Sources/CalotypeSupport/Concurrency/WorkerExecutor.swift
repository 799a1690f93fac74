import Glibc

/// A fixed number of threads for work that must stay off the cooperative pool: decoding, resizing, file I/O.
///
/// Work stays structured: ``run(_:)`` executes its body as part of the calling task, so priorities, task-local values
/// and `Task.isCancelled` hold inside it. Jobs wait in one queue by the priority they had on arrival, first in, first
/// out. The threads end when the executor is released.
package final class WorkerExecutor: TaskExecutor {
  private let queue: WorkerQueue

  /// - Parameters:
  ///   - name: Thread name, as `top -H` shows it; at most 15 bytes.
  ///   - threads: Number of threads, at least one.
  package init(name: String, threads: Int) {
    queue = WorkerQueue()
    for _ in 0..<max(1, threads) {
      WorkerQueue.startThread(serving: queue, name: name)
    }
  }

  deinit {
    queue.close()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let priority = job.priority.rawValue
    queue.push(WorkItem(job: UnownedJob(job), executor: asUnownedTaskExecutor()), priority: priority)
  }

  /// The number of queued jobs.
  package var queueDepth: Int { queue.depth }

  /// Runs `body` on one of the threads, as part of the calling task.
  ///
  /// - Throws: `CancellationError` when the task was cancelled before the body could start; errors of `body`.
  @concurrent
  package func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
    try await withTaskExecutorPreference(self) { () async throws -> Result in
      try Task.checkCancellation()
      return try body()
    }
  }
}

struct WorkItem {
  let job: UnownedJob
  let executor: UnownedTaskExecutor
}

/// The queued jobs.
final class WorkerQueue: Sendable {
  private struct State {
    /// Highest priority first.
    var lanes: [Lane] = []
    var count = 0
    var isClosed = false
  }

  private let state = Monitor(State())

  /// Jobs of one priority, oldest first.
  private struct Lane {
    let priority: UInt8
    var items: [WorkItem] = []
    var head = 0
    var isEmpty: Bool { head == items.count }

    mutating func take() -> WorkItem {
      let item = items[head]
      head += 1
      if head == items.count {
        items.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 64, head * 2 >= items.count {
        items.removeFirst(head)
        head = 0
      }
      return item
    }
  }

  var depth: Int { state.withLock { $0.count } }

  func push(_ item: WorkItem, priority: UInt8) {
    // The caller need not keep the executor alive: the task may run, end and release it before this returns.
    state.withLock(waking: .one) { state in
      if let index = state.lanes.firstIndex(where: { $0.priority <= priority }) {
        if state.lanes[index].priority == priority {
          state.lanes[index].items.append(item)
        } else {
          state.lanes.insert(Lane(priority: priority, items: [item]), at: index)
        }
      } else {
        state.lanes.append(Lane(priority: priority, items: [item]))
      }
      state.count += 1
    }
  }

  func close() {
    state.withLock(waking: .all) { $0.isClosed = true }
  }

  private enum Next {
    case item(WorkItem)
    case end
  }

  /// Takes the next job, highest priority first; waits for one. Returns `.end` when closed and empty.
  private func pop() -> Next {
    state.wait { state in
      guard let index = state.lanes.firstIndex(where: { !$0.isEmpty }) else {
        return state.isClosed ? .end : nil
      }
      state.count -= 1
      return .item(state.lanes[index].take())
    }
  }

  static func startThread(serving queue: WorkerQueue, name: String) {
    Threads.start(name: name) {
      while case .item(let item) = queue.pop() {
        item.job.runSynchronously(on: item.executor)
      }
    }
  }
}
