import CalotypeSupport
public import FoundationEssentials
import Glibc

/// Records on disk under a byte limit, one file a key, shared with other processes if need be.
///
/// A record reads as exactly the bytes that were stored, or as `nil`: checksums cover header and payload, and files
/// are renamed into place whole, so that neither a crash nor a full disk leaves half of one to be believed. The limits
/// hold at every moment, over all processes that share the folder.
///
/// A store can be read as soon as it was handed over. One thread writes, in the order of the stores; reads wait for
/// nothing of that. A read of what the system has in memory takes no thread at all, and blocks nobody.
///
/// A folder that fails (full, read-only, deleted, of another owner) fails the stores, each with its error, and never
/// more than that; when it works again, so does the cache.
///
/// ```swift
/// let cache = DiskCache(.init(byteLimit: 256 << 20))
/// try await cache.store(body, metadata: .init(contentType: "image/png"), for: key)
/// let record = try await cache.read(key)
/// ```
public actor DiskCache: DataCaching {
  /// What the cache was made with.
  public nonisolated let configuration: Configuration
  /// The thread that writes. The actor runs on it, so that it may block.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  nonisolated let thread = SerialThread(name: "calotype-disk")
  private nonisolated let readers: WorkerExecutor
  nonisolated let reader: RecordReader
  nonisolated let index = DiskIndex()
  nonisolated let staging = StagingArea()
  nonisolated let counters = Lock(DiskCacheStatistics())
  let books: DiskBooks
  /// Files that reads found useless and nobody has removed yet.
  nonisolated let useless = Lock<[Digest256: FileStatus]>([:])

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
    let layout = CacheLayout(folder: configuration.folder.path, namespace: configuration.namespace)
    reader = RecordReader(layout: layout, configuration: configuration, files: fileSystem, now: now)
    books = DiskBooks(
      layout: layout, configuration: configuration, files: fileSystem, now: now, index: index)
    readers = WorkerExecutor(name: "calotype-read", threads: max(1, configuration.threads))
  }

  // MARK: Records

  /// Reads the record of a key.
  ///
  /// A record that is damaged is removed soon, counted in ``statistics()`` and reads as `nil`, and so is one that was
  /// not read for longer than the age limit.
  ///
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: ``CachingError`` when the folder cannot be read, or ``CachingError/cancelled``.
  public nonisolated func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    guard !Task.isCancelled else { throw .cancelled }
    let outcome: RecordReader.Outcome
    if let staged = staging.newest(key.digest) {
      outcome = staged.outcome(now: reader.now())
    } else if index.isAbsent(key.digest) {
      outcome = .miss
    } else if let found = reader.readAtOnce(key) {
      outcome = found
    } else {
      let reader = reader
      outcome = try await perform { () throws(CachingError) in try reader.read(key) }
    }
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
    case .expired(let status), .damaged(let status):
      discardLater(key.digest, status)
      return nil
    }
  }

  /// Whether there is a record that could be read, judged by its header; does not count as an access.
  public nonisolated func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    if let staged = staging.newest(key.digest) {
      if case .hit = staged.outcome(now: reader.now()) { return true }
      return false
    }
    if index.isAbsent(key.digest) { return false }
    let reader = reader
    return try await perform { () throws(CachingError) in try reader.contains(key) }
  }

  /// Stores a record, replacing the one the key had; returns when it is on disk.
  ///
  /// Older records are removed before, least recently used first, as the limits demand.
  ///
  /// - Throws: ``CachingError``; the record that was there before stays then, unless space had to be made. With
  ///   ``CachingError/cancelled`` it may be stored all the same.
  public nonisolated func store(
    _ data: Data, metadata: RecordMetadata = RecordMetadata(), for key: CacheKey
  ) async throws(CachingError) {
    guard !Task.isCancelled else { throw .cancelled }
    let record = try staged(data, metadata, for: key)
    while case .full = add(record) {
      // In step with the disk.
      guard !Task.isCancelled else { throw .cancelled }
      await writeStaged()
    }
    _ = try await record.ended()
  }

  /// Stores a record, replacing the one the key had; returns at once, when it can be read.
  ///
  /// It is written later, by a thread of the cache. A process that ends before has lost it: ``flush()`` waits for it.
  ///
  /// - Parameters:
  ///   - data: What to keep. Held in memory until it is written.
  ///   - metadata: What to keep beside it.
  ///   - key: Its identity.
  /// - Returns: What to wait for, if the outcome matters.
  /// - Throws: ``CachingError/recordTooLarge(bytes:limit:)``, ``CachingError/keyTooLong(bytes:limit:)`` or
  ///   ``CachingError/metadataTooLarge(bytes:limit:)``; ``CachingError/queueFull(bytes:limit:)`` when it would make more
  ///   than ``Configuration/stagingByteLimit`` wait.
  @discardableResult
  public nonisolated func handOver(
    _ data: Data, metadata: RecordMetadata = RecordMetadata(), for key: CacheKey
  ) throws(CachingError) -> PendingStore {
    let record = try staged(data, metadata, for: key)
    if case .full(let bytes) = add(record) {
      throw .queueFull(bytes: bytes, limit: configuration.stagingByteLimit)
    }
    return PendingStore(record: record)
  }

  /// Removes the record of a key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public nonisolated func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    guard !Task.isCancelled else { throw .cancelled }
    let record = StagedRecord(key: key, content: .removal, created: reader.now(), weight: 0)
    _ = add(record)
    return try await record.ended()
  }

  private nonisolated func staged(
    _ data: Data, _ metadata: RecordMetadata, for key: CacheKey
  ) throws(CachingError) -> StagedRecord {
    let limit = configuration.effectiveRecordLimit
    guard data.count <= limit else { throw .recordTooLarge(bytes: data.count, limit: limit) }
    // Asked now: a store that cannot be done must not take the place of one that can.
    let size = try RecordHeader.length(key: key, metadata: metadata) + data.count
    guard size <= limit else { throw .recordTooLarge(bytes: size, limit: limit) }
    return StagedRecord(key: key, content: .data(data, metadata), created: reader.now(), weight: size)
  }

  private nonisolated func add(_ record: StagedRecord) -> StagingArea.Admission {
    let admission = staging.add(record, byteLimit: configuration.stagingByteLimit)
    if case .first = admission {
      thread.schedule { self.assumeIsolated { $0.serve() } }
    }
    return admission
  }

  // MARK: Blocking work

  nonisolated func count(_ failure: CachingError) {
    counters.withLock { counters in
      counters.failures += 1
      counters.lastFailure = failure
    }
  }

  /// Runs blocking work on a thread that reads, and counts failures.
  nonisolated func perform<Success: Sendable>(
    _ work: @Sendable () throws(CachingError) -> Success
  ) async throws(CachingError) -> Success {
    let result: Result<Success, CachingError>
    do {
      result = try await readers.run { Result { () throws(CachingError) in try work() } }
    } catch {
      // All the executor throws by itself.
      throw .cancelled
    }
    if case .failure(let error) = result { count(error) }
    return try result.get()
  }
}
