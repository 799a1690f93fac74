import CalotypeSupport

extension DiskCache {
  /// Waits until everything that was stored, handed over or removed before is on the device, or has failed: a loss of
  /// power does not undo it.
  ///
  /// Files are synchronized before the folders with their names, and many files in one call. A record that was
  /// confirmed so and is replaced later is there, in its old or its new form, at every moment. Flushes at the same time
  /// share the work. Nothing else waits for the device meanwhile. Records that this cache did not write, such as those
  /// of another process, are not meant.
  ///
  /// - Throws: ``CachingError/cancelled`` at once when the task is; the writing goes on. ``CachingError`` when the
  ///   device does not take something: such records are removed.
  public nonisolated func flush() async throws(CachingError) {
    staging.beginFlush()
    defer { staging.endFlush() }
    unsynced.withLock { $0.isFlushed = true }
    try await onThread { $0.writeStaged() }
    try await synchronize()
  }

  /// Puts on the device what has been written. One after the other: a change that another flush has taken is on the
  /// device when this one's turn comes.
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
      // Before the caller knows of the failure: it would find what is not safe.
      self.thread.schedule {
        self.assumeIsolated { $0.giveUp(outcome) }
        call.resolve(.failure(error))
      }
    }
    try await call.outcome()
  }

  /// Removes what the device did not take, as far as that succeeds: the system no longer knows that it is not written.
  private func giveUp(_ outcome: DiskSync.Outcome) {
    do throws(CachingError) {
      _ = try withBooks(creates: false) { books throws(FileSystemError) in
        for digest in outcome.lostRecords { _ = try books.remove(digest) }
        if outcome.hasLostBooks { try books.abandonIndex() }
      }
    } catch {
      count(error)
    }
  }
}
