import CalotypeSupport
import Glibc

/// The writing: on the thread of the cache, in the order of the stores.
extension DiskCache {
  /// Writes some of what was handed over, and the rest in its turn: others wait for this thread too.
  func serve() {
    if writeSome() > 0 { thread.schedule { self.assumeIsolated { $0.serve() } } }
  }

  /// Writes what has been handed over until now.
  func writeStaged() {
    // What comes meanwhile has its turn later: others wait for this thread too.
    var left = staging.count
    while left > 0 {
      let taken = writeSome()
      if taken == 0 { return }
      left -= taken
    }
  }

  private static var batch: Int { 64 }

  /// - Returns: How many changes it took from the queue, with those that others made superfluous.
  private func writeSome() -> Int {
    let (records, taken) = staging.take(Self.batch)
    guard !records.isEmpty else { return taken }
    let results = apply(records)
    let failures = results.compactMap { result in
      if case .failure(let error) = result { error } else { nil }
    }
    counters.withLock { counters in
      counters.failures += failures.count
      if let last = failures.last { counters.lastFailure = last }
    }
    for (record, result) in zip(records, results) {
      staging.finish(record)
      record.end(result)
    }
    return taken
  }

  private func apply(_ records: [StagedRecord]) -> [Result<Bool, CachingError>] {
    let changes = records.map { $0.change() }
    var results: [Result<Bool, CachingError>] = []
    var stores = 0
    // All of them are, or none is.
    let areStores = records.contains { $0.isStore }
    let timeout =
      areStores && !staging.isFlushing ? configuration.effectiveStoreTimeout : configuration.lockTimeout
    var failure: CachingError?
    // Others may remove the folder between any two steps: then it is made again.
    for attempt in 0..<3 where results.count < records.count {
      failure = nil
      do throws(CachingError) {
        let done: Void? = try withBooks(creates: areStores, timeout: timeout) {
          books throws(FileSystemError) in
          for change in changes[results.count...] {
            let result: Result<Bool, CachingError>
            do throws(FileSystemError) {
              result = .success(try change.apply(to: books))
              if change.isStore { stores += 1 }
            } catch {
              if error.code == ENOENT, attempt < 2 { throw error }
              result = .failure(CachingError(error))
            }
            results.append(result)
          }
          try books.keepUp()
        }
        if done == nil { results = records.map { _ in .success(false) } }
      } catch {
        failure = error
        books.forget()
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

  /// Has the books under the lock of the folder, with an index that is up to date and within the limits.
  ///
  /// - Parameters:
  ///   - creates: Whether the folder is made when it is not there.
  ///   - timeout: How long to wait for another process; `nil` for the time of the configuration.
  /// - Returns: `nil` when there is no folder.
  func withBooks<Result>(
    creates: Bool, timeout: Duration? = nil, makesRoom: Bool = true,
    _ body: (DiskStore) throws(FileSystemError) -> Result
  ) throws(CachingError) -> Result? {
    defer {
      let tally = books.takeTally()
      counters.withLock { counters in
        counters.evictions += tally.evicted
        counters.expired += tally.expired
        counters.rebuilds += tally.rebuilds
      }
    }
    do throws(FileSystemError) {
      let result = try books.withLock(creates: creates, timeout: timeout) { () throws(FileSystemError) in
        if makesRoom { try books.makeRoom(bytes: 0, count: 0) }
        return try body(books)
      }
      scheduleUpkeep()
      return result
    } catch {
      throw CachingError(error)
    }
  }

  // MARK: Upkeep

  /// Has what is left of upkeep done, a step at a time, when nobody wants to store.
  private func scheduleUpkeep() {
    guard books.hasUpkeep, !isUpkeepScheduled else { return }
    isUpkeepScheduled = true
    // A cache that nobody holds any more need not be tidy.
    thread.schedule { [weak self] in self?.assumeIsolated { $0.keepUp() } }
  }

  /// One step of upkeep. Schedules the next, if something is left.
  func keepUp() {
    isUpkeepScheduled = false
    // Stores come first, and upkeep after the last one again.
    guard staging.count == 0 else { return }
    do throws(CachingError) {
      // While another process is at work, it does what has to be done.
      _ = try withBooks(creates: false, timeout: .zero) { books throws(FileSystemError) in
        try books.trimSome()
        try books.keepUp()
      }
    } catch {
      if case .locked = error { return }
      count(error)
    }
  }

  // MARK: Useless files

  /// Has a file removed that a read found useless. Nobody waits for that: it needs the lock of the folder.
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

  /// Removes files that were seen to be useless. What cannot be removed now stays, and reads as `nil` the next time too.
  func discard(_ found: [Digest256: FileStatus]) {
    // Not worth waiting long for: stores wait behind.
    let timeout = min(configuration.lockTimeout, .milliseconds(100))
    _ = try? withBooks(creates: false, timeout: timeout) { books throws(FileSystemError) in
      for (digest, seen) in found { _ = try books.discard(digest, seen: seen) }
    }
  }
}
