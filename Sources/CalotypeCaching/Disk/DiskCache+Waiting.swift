import CalotypeSupport

/// The waits of callers. Each ends with the first of the result, a timeout and cancellation.
extension DiskCache {
  // MARK: Stores

  /// Refuses a store while the folder cannot be locked.
  nonisolated func admit() throws(CachingError) {
    guard circuit.admits() else {
      counters.withLock { $0.refused += 1 }
      throw .locked(path: reader.layout.lock)
    }
  }

  /// Waits until there is room for a store, as long as the queue before it makes progress.
  nonisolated func enter(_ record: StagedRecord) async throws(CachingError) {
    let entry = CallWaiter<Void>()
    guard case .full = add(record, waitingFor: entry) else { return }
    let (staging, configuration) = (staging, configuration)
    let watch = Task { [timer] in
      var seen: Int
      repeat {
        seen = staging.departures
        try await timer.sleep(for: configuration.storeTimeout)
      } while staging.departures != seen
      // A store that was admitted at this moment no longer waits.
      guard staging.withdraw(record) else { return }
      entry.resolve(.failure(.queueFull(bytes: staging.bytes, limit: configuration.stagingByteLimit)))
    }
    defer { watch.cancel() }
    try await entry.outcome(onCancel: {
      if staging.withdraw(record) { entry.resolve(.failure(.cancelled)) }
    })
  }

  // MARK: The thread that writes

  /// Runs work on the thread of the cache, in order.
  ///
  /// - Throws: Errors of `work`; ``CachingError/cancelled`` at once when the task is cancelled. Work that has begun
  ///   continues.
  nonisolated func onThread<Success: Sendable>(
    _ work: @escaping @Sendable (isolated DiskCache) throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    guard !Task.isCancelled else { throw .cancelled }
    let call = CallWaiter<Success>()
    thread.schedule {
      guard !call.isResolved else { return }
      call.resolve(self.assumeIsolated { cache in Result { () throws(CachingError) in try work(cache) } })
    }
    return try await call.outcome()
  }

  /// Runs work like ``onThread(_:)`` and counts failures.
  nonisolated func onThreadCounted<Success: Sendable>(
    _ work: @escaping @Sendable (isolated DiskCache) throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    try await onThread { cache throws(CachingError) in
      do throws(CachingError) {
        return try work(cache)
      } catch {
        cache.count(error)
        throw error
      }
    }
  }

  // MARK: The threads that read

  /// Runs the blocking work of one read on a reader thread, and counts failures.
  nonisolated func perform<Success: Sendable>(
    _ operation: String, path: String, _ work: @escaping @Sendable () throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    try await perform(operation, path: path, on: readers, work)
  }

  /// Runs blocking work that scans many records, without a timeout, and counts failures.
  nonisolated func survey<Success: Sendable>(
    _ work: @escaping @Sendable () throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    try await perform("list", path: reader.layout.version, on: surveyor, work)
  }

  private nonisolated func perform<Success: Sendable>(
    _ operation: String, path: String, on threads: ReaderThreads,
    _ work: @escaping @Sendable () throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    do throws(CachingError) {
      return try await threads.run(operation, path: path, work)
    } catch {
      if error != .cancelled { count(error) }
      throw error
    }
  }

  nonisolated func count(_ failure: CachingError) {
    counters.withLock { counters in
      counters.failures += 1
      counters.lastFailure = failure
      if case .stalled = failure { counters.stalledReads += 1 }
    }
  }
}
