import Glibc

/// The executor of an actor whose work blocks: one thread, one job after the other, in the order they came.
///
/// The thread starts with the first job and ends when the executor is released and nothing is left to do.
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

  /// Runs `body` in its turn. Costs less than a task; inside, `assumeIsolated` holds for the actors of this executor.
  package func schedule(_ body: @escaping @Sendable () -> Void) {
    queue.push(.body(body))
  }

  package func checkIsolated() {
    precondition(queue.isCurrentThread, "not on the thread of this executor")
  }

  package func isSameExclusiveExecutionContext(other: SerialThread) -> Bool { self === other }
}

/// What waits for the thread, and the condition it sleeps on.
// `@unchecked`: all mutable state is only touched between lock and unlock of `mutex`.
private final class SerialQueue: @unchecked Sendable {
  enum Item {
    case job(UnownedJob, UnownedSerialExecutor)
    case body(@Sendable () -> Void)
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let name: String
  private var items: [Item] = []
  private var isAsleep = false
  private var isClosed = false
  private var isStarted = false
  private var thread: pthread_t?

  init(name: String) {
    self.name = name
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func push(_ item: Item) {
    pthread_mutex_lock(mutex)
    items.append(item)
    let starts = !isStarted
    isStarted = true
    // Under the lock: whoever pushes need not keep the executor alive.
    if isAsleep {
      isAsleep = false
      pthread_cond_signal(condition)
    }
    pthread_mutex_unlock(mutex)
    guard starts else { return }
    Threads.start(name: name) { self.run() }
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  var isCurrentThread: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
  }

  private func run() {
    pthread_mutex_lock(mutex)
    thread = pthread_self()
    pthread_mutex_unlock(mutex)
    while let batch = take() {
      for item in batch {
        switch item {
        case .job(let job, let executor): job.runSynchronously(on: executor)
        case .body(let body): body()
        }
      }
    }
  }

  /// Everything that waits; sleeps until there is something. `nil` when closed and empty.
  private func take() -> [Item]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while items.isEmpty {
      if isClosed { return nil }
      isAsleep = true
      pthread_cond_wait(condition, mutex)
    }
    isAsleep = false
    defer { items = [] }
    return items
  }
}
