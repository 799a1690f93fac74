import CalotypeSupport

/// The threads of a ``DiskCache`` that read what is not in memory. They start when there is work for them.
///
/// A caller that is cancelled, or whose read takes too long, is told so at once, while the thread goes on: nothing ends a
/// system call that a device holds up.
final class ReaderThreads: Sendable {
  private let queue: ReaderQueue
  private let timeout: Duration?

  /// - Parameters:
  ///   - name: Thread name, as `top -H` shows it; at most 15 bytes.
  ///   - threads: Number of threads, at least one.
  ///   - timeout: How long work may take before its caller is told that it has stalled; `nil` for ever.
  ///   - timer: The clock of the time-out.
  init(name: String, threads: Int, timeout: Duration? = nil, timer: CacheTimer) {
    queue = ReaderQueue(name: name, threads: max(1, threads), timeout: timeout, timer: timer)
    self.timeout = timeout
  }

  deinit { queue.close() }

  /// Whether work is refused because all threads are held up.
  var isStalled: Bool { queue.isOpen }

  /// Work that waits for a thread.
  var queueDepth: Int { queue.count }

  /// Whether no thread is at work.
  var isIdle: Bool { queue.isIdle }

  /// Threads that are held up.
  var stalledCount: Int { queue.stalledCount }

  /// Runs blocking work on one of the threads.
  ///
  /// - Throws: What `work` throws; ``CachingError/cancelled`` when the task is; ``CachingError/stalled(operation:path:after:)``
  ///   when it takes too long, or at once while all threads are held up. What has begun ends all the same.
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
