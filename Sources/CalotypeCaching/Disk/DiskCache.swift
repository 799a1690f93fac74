import CalotypeSupport
public import FoundationEssentials

/// Records on disk under a byte limit, one file a key, shared with other processes if need be.
///
/// A record reads as exactly the bytes that were stored, or as `nil`: checksums cover header and payload, and files
/// are renamed into place whole, so that neither a crash nor a full disk leaves half of one to be believed.
///
/// The actor keeps the books; files are touched on threads of the cache's own. Reads wait for no write. A record
/// can be read as soon as `store` has returned.
///
/// ```swift
/// let cache = DiskCache(.init(byteLimit: 256 << 20))
/// try await cache.store(body, metadata: .init(contentType: "image/png"), for: key)
/// let record = try await cache.read(key)
/// ```
public actor DiskCache {
  /// What the cache was made with.
  public nonisolated let configuration: Configuration

  let store: DiskStore
  private let executor: WorkerExecutor
  /// Outcomes of reads, which do not visit the actor, and of everything else.
  let counters = Lock(DiskCacheStatistics())
  private var usage = DiskUsage()
  private var trimming: Task<Result<TrimReport, CachingError>, Never>?

  /// Makes a cache; no file is touched before it is asked for something.
  ///
  /// - Parameters:
  ///   - configuration: Where and how much.
  ///   - fileSystem: Where files are; another one than the machine's for tests.
  ///   - now: The clock that ages are told by.
  public init(
    _ configuration: Configuration = Configuration(), fileSystem: any CacheFileSystem = PosixFileSystem(),
    now: @escaping @Sendable () -> Date = { Date.now }
  ) {
    self.configuration = configuration
    store = DiskStore(
      layout: CacheLayout(folder: configuration.folder.path), configuration: configuration,
      files: fileSystem, names: TemporaryNames(), now: now)
    executor = WorkerExecutor(name: "calotype-disk", threads: max(2, configuration.threads))
  }

  /// Reads the record of a key.
  ///
  /// A record that is damaged is removed, counted in ``statistics()`` and reads as `nil`, and so is one that was
  /// not read for longer than the age limit.
  ///
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: ``CachingError`` when the folder cannot be read, or ``CachingError/cancelled``.
  public nonisolated func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    let store = store
    let outcome = try await perform { () throws(CachingError) in try store.read(key) }
    counters.withLock { counters in
      switch outcome {
      case .hit: counters.hits += 1
      case .miss: counters.misses += 1
      case .expired:
        counters.misses += 1
        counters.expired += 1
      case .damaged:
        counters.misses += 1
        counters.damaged += 1
      }
    }
    switch outcome {
    case .hit(let record): return record
    case .miss: return nil
    case .expired(let size), .damaged(let size):
      await noteRemoval(of: size)
      return nil
    }
  }

  /// Stores a record, replacing the one the key had; returns when it can be read.
  ///
  /// When the cache is over its limit then, the least recently used records are removed before the call returns. The
  /// first store of a process starts a scan of the folder to learn its size, and does not wait for it.
  ///
  /// - Throws: ``CachingError``; the record that was there before stays then, unless space had to be made.
  public func store(
    _ data: Data, metadata: RecordMetadata = RecordMetadata(), for key: CacheKey
  ) async throws(CachingError) {
    let store = store
    let outcome: DiskStore.StoreOutcome
    do throws(CachingError) {
      outcome = try await perform { () throws(CachingError) in
        try store.store(data, metadata: metadata, for: key)
      }
    } catch {
      guard case .diskFull = error else { throw error }
      // Others may have filled the device. Make room for this record and some more, and try once again.
      let freeing = max(data.count + RecordHeader.maxLength, configuration.byteLimit / 10)
      let report = try await runTrim(freeing: freeing)
      guard report.freedBytes > 0 || report.staleTemporaries > 0 else { throw error }
      outcome = try await perform { () throws(CachingError) in
        try store.store(data, metadata: metadata, for: key)
      }
    }
    counters.withLock { $0.stores += 1 }
    usage.noteStore(size: outcome.size, replacing: outcome.replaced)
    await enforceLimits()
  }

  /// Whether there is a record that could be read, judged by its header; does not count as an access.
  public nonisolated func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    let store = store
    return try await perform { () throws(CachingError) in try store.contains(key) }
  }

  /// Removes the record of a key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    let store = store
    let size = try await perform { () throws(CachingError) in try store.remove(key) }
    guard let size else { return false }
    usage.noteRemoval(of: size)
    return true
  }

  /// Removes all records. Files that are not of the cache stay.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func removeAll() async throws(CachingError) -> Int {
    let store = store
    usage.scanBegins()
    let removed = try await perform { () throws(CachingError) in try store.removeAll() }
    usage.scanEnded(bytes: 0, count: 0)
    return removed
  }

  /// Scans the folder, removes records that are too old and stale temporary files, and evicts if a limit is passed.
  @discardableResult
  public func trim() async throws(CachingError) -> TrimReport {
    // One that runs already may have looked at some files before this call.
    if let trimming { _ = await trimming.value }
    return try await joinTrim().value.get()
  }

  /// What the cache holds and did. Scans the folder when that was not done yet.
  public func statistics() async throws(CachingError) -> DiskCacheStatistics {
    if !usage.isKnown { _ = try await joinTrim().value.get() }
    var result = counters.withLock { $0 }
    result.bytes = usage.bytes
    result.count = usage.count
    result.byteLimit = configuration.byteLimit
    result.countLimit = configuration.countLimit
    return result
  }

  func noteRemoval(of size: Int) {
    usage.noteRemoval(of: size)
  }

  /// Starts or awaits a trim if one is due.
  private func enforceLimits() async {
    guard usage.isKnown else {
      _ = joinTrim()
      return
    }
    // A trim that ran already may not have seen the record that passed the limit: then another one follows.
    for _ in 0..<2 where usage.isOver(configuration) {
      guard case .success = await joinTrim().value else { return }
    }
    if usage.isStale(configuration) { _ = joinTrim() }
  }

  /// The trim that runs, or a new one. Nobody's cancellation ends it: others wait for it.
  private func joinTrim() -> Task<Result<TrimReport, CachingError>, Never> {
    if let trimming { return trimming }
    let task = Task(priority: .utility) { () -> Result<TrimReport, CachingError> in
      let result: Result<TrimReport, CachingError>
      do throws(CachingError) {
        result = .success(try await self.runTrim())
      } catch {
        result = .failure(error)
      }
      self.trimming = nil
      return result
    }
    trimming = task
    return task
  }

  private func runTrim(freeing: Int = 0) async throws(CachingError) -> TrimReport {
    let store = store
    usage.scanBegins()
    let report = try await perform { () throws(CachingError) in try store.trim(freeing: freeing) }
    usage.scanEnded(bytes: report.bytes, count: report.count)
    counters.withLock { counters in
      counters.expired += report.expired
      counters.evictions += report.evicted
    }
    return report
  }

  /// Runs blocking work on a thread of the cache, and counts failures.
  nonisolated func perform<Success: Sendable>(
    _ work: @escaping @Sendable () throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    let result: Result<Success, CachingError>
    do {
      result = try await executor.run { Result { () throws(CachingError) in try work() } }
    } catch {
      // All the executor throws by itself.
      throw .cancelled
    }
    if case .failure(let error) = result {
      counters.withLock { counters in
        counters.failures += 1
        counters.lastFailure = error
      }
    }
    return try result.get()
  }
}
