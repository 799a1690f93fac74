import CalotypeSupport

/// How callers wait: each ends with the first of the result, a time-out and its cancellation.
extension DiskCache {
  // MARK: Stores

  /// Refuses a store while the folder cannot be locked.
  nonisolated func admit() throws(CachingError) {
    guard circuit.admits() else {
      counters.withLock { $0.refused += 1 }
      throw .locked(path: reader.layout.lock)
    }
  }

  /// Waits until a store has come in that there was no room for, as long as what is before it moves.
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
      // Who has come in at this moment waits no longer.
      guard staging.withdraw(record) else { return }
      entry.resolve(.failure(.queueFull(bytes: staging.bytes, limit: configuration.stagingByteLimit)))
    }
    defer { watch.cancel() }
    try await entry.outcome(onCancel: {
      if staging.withdraw(record) { entry.resolve(.failure(.cancelled)) }
    })
  }

  // MARK: The thread that writes

  /// Runs work on the thread of the cache, in its turn.
  ///
  /// - Throws: What `work` throws; ``CachingError/cancelled`` at once when the task is. Work that has begun ends all the
  ///   same.
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

  /// The same, and counts failures.
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

  /// Runs blocking work of one read on a thread for that, and counts failures.
  nonisolated func perform<Success: Sendable>(
    _ operation: String, path: String, _ work: @escaping @Sendable () throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    try await perform(operation, path: path, on: readers, work)
  }

  /// Runs blocking work that goes through many records, and counts failures. No time-out: that takes as long as it takes.
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
