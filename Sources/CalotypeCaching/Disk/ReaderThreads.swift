import CalotypeSupport

/// The threads of a ``DiskCache`` that read files outside the page cache. They start on demand.
///
/// A caller that is cancelled, or whose read times out, gets an error at once while the thread continues: a system call
/// that a device blocks cannot be ended.
final class ReaderThreads: Sendable {
  private let queue: ReaderQueue
  private let timeout: Duration?

  /// - Parameters:
  ///   - name: Thread name, as `top -H` shows it; at most 15 bytes.
  ///   - threads: Number of threads, at least one.
  ///   - timeout: The time after which work counts as stalled; `nil` for no limit.
  ///   - timer: The clock of the timeout.
  init(name: String, threads: Int, timeout: Duration? = nil, timer: CacheTimer) {
    queue = ReaderQueue(name: name, threads: max(1, threads), timeout: timeout, timer: timer)
    self.timeout = timeout
  }

  deinit { queue.close() }

  /// Whether work is refused because all threads are stalled.
  var isStalled: Bool { queue.isOpen }

  /// Work that waits for a thread.
  var queueDepth: Int { queue.count }

  /// Whether all threads are idle.
  var isIdle: Bool { queue.isIdle }

  /// Stalled threads.
  var stalledCount: Int { queue.stalledCount }

  /// Runs blocking work on one of the threads.
  ///
  /// - Throws: Errors of `work`; ``CachingError/cancelled`` when the task is cancelled;
  ///   ``CachingError/stalled(operation:path:after:)`` when it takes too long, or at once while all threads are
  ///   stalled. Work that has begun continues.
  func run<Success: Sendable>(
    _ operation: String, path: String, _ work: @escaping @Sendable () throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    guard !Task.isCancelled else { throw .cancelled }
    let call = CallWaiter<Success>()
    let stalled = CachingError.stalled(operation: operation, path: path, after: timeout ?? .zero)
    let job = ReaderQueue.Job(priority: Task.currentPriority.rawValue) {
      let result = Result { () throws(CachingError) in try work() }
      return { call.resolve(result) }
    } giveUp: {
      call.resolve(.failure(stalled))
    }
    guard let number = queue.push(job) else { throw stalled }
    let queue = queue
    return try await call.outcome(onCancel: {
      call.resolve(.failure(.cancelled))
      queue.withdraw(number)
    })
  }
}
