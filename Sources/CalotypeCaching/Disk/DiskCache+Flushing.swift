import CalotypeSupport

extension DiskCache {
  /// Waits until all earlier stores and removals are on the device, where they survive a loss of power, or have failed.
  ///
  /// Files are synchronized before the folders with their names, and many files in one call. A flushed record that is
  /// replaced later exists at every moment, in its old or its new form. Concurrent flushes share the work. No other
  /// call waits for the device meanwhile. Records of other processes are not flushed.
  ///
  /// - Throws: ``CachingError/cancelled`` at once when the task is cancelled; writing continues. ``CachingError`` when
  ///   the device refuses some records: those are removed.
  public nonisolated func flush() async throws(CachingError) {
    staging.beginFlush()
    defer { staging.endFlush() }
    unsynced.withLock { $0.isFlushed = true }
    try await onThread { $0.writeStaged() }
    try await synchronize()
  }

  /// Synchronizes all written changes. Flushes run one after another: a change that an earlier flush took is on the
  /// device when this one begins.
  private nonisolated func synchronize() async throws(CachingError) {
    let call = CallWaiter<Void>()
    syncThread.schedule {
      guard !call.isResolved else { return }
      let changes = self.unsynced.withLock { $0.take() }
      guard !changes.isEmpty else {
        call.resolve(.success(()))
        return
      }
      let outcome = self.sync.carryOut(changes)
      guard let failure = outcome.failure else {
        call.resolve(.success(()))
        return
      }
      let error = CachingError(failure)
      self.count(error)
      var rest = changes
      rest.records.subtract(outcome.lostRecords)
      self.unsynced.withLock { $0.putBack(rest) }
      // Before the caller learns of the failure: it would still find a record that is not durable.
      self.thread.schedule {
        self.assumeIsolated { $0.giveUp(outcome) }
        call.resolve(.failure(error))
      }
    }
    try await call.outcome()
  }

  /// Removes the records that the device refused, as far as possible: the kernel no longer knows that they are not
  /// written.
  private func giveUp(_ outcome: DiskSync.Outcome) {
    do throws(CachingError) {
      _ = try withDiskStore(creates: false) { diskStore throws(FileSystemError) in
        for digest in outcome.lostRecords { _ = try diskStore.remove(digest) }
        if outcome.hasLostIndex { try diskStore.abandonIndex() }
      }
    } catch {
      count(error)
    }
  }
}
