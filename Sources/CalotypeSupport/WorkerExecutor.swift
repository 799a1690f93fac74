import Glibc

/// A fixed number of threads for work that must stay off the cooperative pool: decoding, resizing, file I/O.
///
/// Work stays structured: ``run(_:)`` executes its body as part of the calling task, so priorities, task-local
/// values and `Task.isCancelled` hold inside it. Jobs wait in one queue by the priority they
/// had when they came, first in first out. The threads end when the executor is released.
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

  /// Jobs that wait for a thread.
  package var queueDepth: Int { queue.depth }

  /// Runs `body` on one of the threads, as part of the calling task.
  ///
  /// - Throws: `CancellationError` when the task was cancelled before the body could start; what `body` throws.
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

/// The jobs that wait, and the condition their threads sleep on.
// `@unchecked`: all mutable state is only touched between lock and unlock of `mutex`.
final class WorkerQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var lanes: [Lane] = []
  private var count = 0
  private var idle = 0
  private var closed = false

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

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  var depth: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return count
  }

  func push(_ item: WorkItem, priority: UInt8) {
    pthread_mutex_lock(mutex)
    if let index = lanes.firstIndex(where: { $0.priority <= priority }) {
      if lanes[index].priority == priority {
        lanes[index].items.append(item)
      } else {
        lanes.insert(Lane(priority: priority, items: [item]), at: index)
      }
    } else {
      lanes.append(Lane(priority: priority, items: [item]))
    }
    count += 1
    // Unlocking is the last touch, and closing takes the lock: whoever enqueues need not keep the executor alive,
    // so the task may run, end and release it before this returns.
    if idle > 0 { pthread_cond_signal(condition) }
    pthread_mutex_unlock(mutex)
  }

  func close() {
    pthread_mutex_lock(mutex)
    closed = true
    pthread_mutex_unlock(mutex)
    pthread_cond_broadcast(condition)
  }

  /// The next job, highest priority first; waits for one. `nil` when closed and empty.
  private func pop() -> WorkItem? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while count == 0 {
      if closed { return nil }
      idle += 1
      pthread_cond_wait(condition, mutex)
      idle -= 1
    }
    for index in lanes.indices where !lanes[index].isEmpty {
      count -= 1
      return lanes[index].take()
    }
    return nil
  }

  static func startThread(serving queue: WorkerQueue, name: String) {
    Threads.start(name: name) {
      while let item = queue.pop() {
        item.job.runSynchronously(on: item.executor)
      }
    }
  }
}
