import CalotypeSupport
import Glibc

/// Writing, on the thread of the cache, in the order of the stores.
extension DiskCache {
  /// Writes a batch of staged records and schedules the rest, so that other work on this thread gets its turn.
  func serve() {
    if writeSome() > 0 { thread.schedule { self.assumeIsolated { $0.serve() } } }
  }

  /// Writes all records that are staged now.
  func writeStaged() {
    // Records that are staged meanwhile are written later, so that other work gets its turn.
    var left = staging.count
    while left > 0 {
      let taken = writeSome()
      if taken == 0 { return }
      left -= taken
    }
  }

  private static var batch: Int { 64 }

  /// - Returns: The number of changes taken from the queue, superseded ones included.
  private func writeSome() -> Int {
    let (records, taken) = staging.take(Self.batch)
    guard !records.isEmpty else { return taken }
    let results = apply(records)
    let failures = results.compactMap { result in
      if case .failure(let error) = result { error } else { nil }
    }
    counters.withLock { counters in
      counters.failures += failures.count
      for case .belowFreeSpaceFloor in failures { counters.belowFreeSpaceFloor += 1 }
      if let last = failures.last { counters.lastFailure = last }
    }
    for (record, result) in zip(records, results) {
      staging.finish(record)
      record.end(result)
    }
    return taken
  }

  private func apply(_ records: [StagedRecord]) -> [Result<Bool, CachingError>] {
    let changes = records.map { $0.change(configuration) }
    var results: [Result<Bool, CachingError>] = []
    var stores = 0
    // All of them are flushed, or none is.
    let areStores = records.contains { $0.isStore }
    let timeout =
      areStores && !staging.isFlushing ? configuration.effectiveStoreTimeout : configuration.lockTimeout
    var failure: CachingError?
    // Another process may remove the folder between any two steps; it is then created again.
    for attempt in 0..<3 where results.count < records.count {
      failure = nil
      do throws(CachingError) {
        let done: Void? = try withDiskStore(creates: areStores, timeout: timeout) {
          diskStore throws(FileSystemError) in
          for change in changes[results.count...] {
            let result: Result<Bool, CachingError>
            do throws(FileSystemError) {
              result = .success(try change.apply(to: diskStore))
              if change.isStore { stores += 1 }
            } catch {
              if error.code == ENOENT, attempt < 2 { throw error }
              result = .failure(CachingError(error))
            }
            results.append(result)
          }
          try diskStore.keepUp()
        }
        if done == nil { results = records.map { _ in .success(false) } }
      } catch {
        failure = error
        diskStore.forget()
        guard case .fileSystem(_, _, ENOENT) = error else { break }
      }
    }
    counters.withLock { $0.stores += stores }
    if let failure {
      if results.count == records.count {
        // Upkeep.
        count(failure)
      } else {
        results += records[results.count...].map { _ in .failure(failure) }
      }
    }
    return results
  }

  /// Calls `body` with the store while the folder is locked, with an index that is up to date and within the limits.
  ///
  /// - Parameters:
  ///   - creates: Whether to create a missing folder.
  ///   - timeout: How long to wait for another process; `nil` uses the configured time.
  /// - Returns: `nil` when there is no such folder.
  func withDiskStore<Result>(
    creates: Bool, timeout: Duration? = nil, makesRoom: Bool = true,
    _ body: (DiskStore) throws(FileSystemError) -> Result
  ) throws(CachingError) -> Result? {
    defer {
      let tally = diskStore.takeTally()
      counters.withLock { counters in
        counters.evictions += tally.evicted
        counters.expired += tally.expired
        counters.rebuilds += tally.rebuilds
        counters.sharedStores += tally.shared
      }
    }
    do throws(FileSystemError) {
      let result = try diskStore.withLock(creates: creates, timeout: timeout) { () throws(FileSystemError) in
        if makesRoom { try diskStore.makeRoom(bytes: 0, count: 0) }
        return try body(diskStore)
      }
      scheduleUpkeep()
      return result
    } catch {
      throw CachingError(error)
    }
  }

  // MARK: Upkeep

  /// Schedules the remaining upkeep, step by step, while no store waits.
  private func scheduleUpkeep() {
    guard diskStore.hasUpkeep, !isUpkeepScheduled else { return }
    isUpkeepScheduled = true
    // A released cache needs no upkeep.
    thread.schedule { [weak self] in self?.assumeIsolated { $0.keepUp() } }
  }

  /// Runs one step of upkeep, and schedules the next if work is left.
  func keepUp() {
    isUpkeepScheduled = false
    // Stores come first; upkeep resumes after the last one.
    guard staging.count == 0 else { return }
    do throws(CachingError) {
      // Another process that holds the lock does the upkeep.
      _ = try withDiskStore(creates: false, timeout: .zero) { diskStore throws(FileSystemError) in
        try diskStore.trimSome()
        try diskStore.keepUp()
      }
    } catch {
      if case .locked = error { return }
      count(error)
    }
  }

  // MARK: Useless files

  /// Schedules the removal of a file that a read found unusable. The read does not wait for it, because it needs the
  /// lock.
  nonisolated func discardLater(_ digest: Digest256, _ seen: FileStatus) {
    let isFirst = useless.withLock { useless in
      defer { useless[digest] = seen }
      return useless.isEmpty
    }
    guard isFirst else { return }
    thread.schedule {
      self.assumeIsolated { cache in
        let found = cache.useless.withLock { useless in
          defer { useless = [:] }
          return useless
        }
        cache.discard(found)
      }
    }
  }

  /// Removes files that reads found unusable. A file that cannot be removed now remains, and reads as `nil` again.
  func discard(_ found: [Digest256: FileStatus]) {
    // Not worth a long wait, which would delay stores.
    let timeout = min(configuration.lockTimeout, .milliseconds(100))
    _ = try? withDiskStore(creates: false, timeout: timeout) { diskStore throws(FileSystemError) in
      for (digest, seen) in found { _ = try diskStore.discard(digest, seen: seen) }
    }
  }
}
