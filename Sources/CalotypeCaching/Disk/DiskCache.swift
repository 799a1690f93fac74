package import CalotypeSupport
public import FoundationEssentials

/// A cache on disk under a byte limit, with one file per key. Several processes may share it.
///
/// A record reads as exactly the bytes that were stored, or as `nil`: checksums cover header and payload, and files are
/// renamed into place atomically, so that neither a crash nor a full disk leaves a partial record. The limits hold at
/// every moment, over all processes that share the folder.
///
/// A stored record is readable immediately, before it is written. One thread writes, in the order of the stores; reads
/// never wait for it. A read from the page cache needs no thread and never blocks.
///
/// If the folder fails (full, read-only, deleted, of another owner), each store fails with its error; the cache resumes
/// when the folder works again. A folder that another process keeps locked, or a device that does not answer, blocks no
/// caller: stores and reads then fail within a second, and later immediately, by a circuit breaker
/// (``Configuration/storeTimeout``, ``Configuration/readTimeout``). Every call ends when its task is cancelled.
///
/// The least recently used records are evicted first, by times that are exact to ``Configuration/touchInterval``. In
/// large caches, a record that moves within the index during a search may be overlooked until the next one.
///
/// ```swift
/// let cache = DiskCache(.init(byteLimit: 256 << 20))
/// try await cache.store(body, metadata: .init(contentType: "image/png"), for: key)
/// let record = try await cache.read(key)
/// ```
public actor DiskCache: DataCaching {
  /// The configuration.
  public nonisolated let configuration: Configuration
  /// The thread that writes. The actor runs on it, so that it may block.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  nonisolated let thread = SerialThread(name: "calotype-disk")
  /// The thread that waits for the device, so that a slow device delays no store.
  nonisolated let syncThread = SerialThread(name: "calotype-sync")
  nonisolated let unsynced = Lock(UnsyncedChanges())
  nonisolated let sync: DiskSync
  nonisolated let readers: ReaderThreads
  /// The thread that scans all records, so that a long scan does not delay reads.
  nonisolated let surveyor: ReaderThreads
  nonisolated let reader: RecordReader
  nonisolated let index = DiskIndex()
  nonisolated let staging: StagingArea
  nonisolated let circuit: StoreCircuit
  nonisolated let timer: CacheTimer
  nonisolated let counters: Lock<DiskCache.Statistics>
  let diskStore: DiskStore
  /// The folder that records are being moved from.
  var movingStore: DiskStore?
  /// Whether a step of upkeep is scheduled.
  var isUpkeepScheduled = false
  /// Files that reads found unusable and that have not been removed yet.
  nonisolated let useless = Lock<[Digest256: FileStatus]>([:])

  /// Creates a cache. It touches no file before its first use.
  ///
  /// - Parameters:
  ///   - configuration: The folder and the limits.
  ///   - now: The present time, by which ages are computed.
  ///   - clock: The clock of timeouts.
  public init(
    _ configuration: Configuration = Configuration(),
    now: @escaping @Sendable () -> Date = { Date.now }, clock: any Clock<Duration> = ContinuousClock()
  ) {
    let files = POSIXFileSystem(trustedOwners: configuration.trustedOwners)
    self.init(configuration, fileSystem: files, now: now, clock: clock)
  }

  /// Creates a cache over another file system, for tests.
  package init(
    _ configuration: Configuration = Configuration(), fileSystem: any FileSystem,
    now: @escaping @Sendable () -> Date = { Date.now }, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.configuration = configuration
    let timer = CacheTimer(clock)
    self.timer = timer
    let layout = CacheLayout(folder: configuration.folder.path, namespace: configuration.namespace)
    reader = RecordReader(layout: layout, configuration: configuration, files: fileSystem, now: now)
    sync = DiskSync(layout: layout, files: fileSystem)
    let (staging, counters) = (
      StagingArea(byteLimit: configuration.stagingByteLimit), Lock(DiskCache.Statistics())
    )
    (self.staging, self.counters) = (staging, counters)
    circuit = StoreCircuit(timer: timer) { isFinal in
      let error = CachingError.locked(path: layout.lock)
      let count = staging.abandonStores(with: error, sparesFlushed: !isFinal)
      guard count > 0 else { return }
      counters.withLock { counters in
        counters.failures += count
        counters.lastFailure = error
      }
    }
    diskStore = DiskStore(
      layout: layout, configuration: configuration, files: fileSystem, now: now, timer: timer, index: index,
      circuit: circuit, unsynced: unsynced)
    readers = ReaderThreads(
      name: "calotype-read", threads: configuration.threads, timeout: configuration.readTimeout, timer: timer)
    surveyor = ReaderThreads(name: "calotype-survey", threads: 1, timer: timer)
  }

  // MARK: Records

  /// Reads the record of a key.
  ///
  /// A damaged record reads as `nil`, is counted in ``statistics()`` and removed soon. The same holds for a record that
  /// was not read for longer than the age limit.
  ///
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: ``CachingError`` when the folder cannot be read; ``CachingError/stalled(operation:path:after:)`` when it
  ///   does not answer; ``CachingError/cancelled``.
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
      outcome = try await perform("read", path: reader.layout.record(key.digest)) { () throws(CachingError) in
        try reader.read(key)
      }
    }
    counters.withLock { counters in
      switch outcome {
      case .hit: counters.hits += 1
      case .miss, .incomplete: counters.misses += 1
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
    case .expired(let status), .damaged(let status), .incomplete(let status):
      discardLater(key.digest, status)
      return nil
    }
  }

  /// Returns whether there is a readable record, judged by its header. Does not count as an access.
  public nonisolated func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    if let staged = staging.newest(key.digest) {
      if case .hit = staged.outcome(now: reader.now()) { return true }
      return false
    }
    if index.isAbsent(key.digest) { return false }
    let reader = reader
    return try await perform("read", path: reader.layout.record(key.digest)) { () throws(CachingError) in
      try reader.contains(key)
    }
  }

  /// Stores a record, replacing an existing one of the key, and returns when it is on disk.
  ///
  /// The limits may evict older records before, least recently used first. When the queue of unwritten records is full,
  /// a store waits for its turn (back-pressure), as long as the disk makes progress.
  ///
  /// - Throws: ``CachingError``; the previous record of the key then remains, unless it was evicted.
  ///   ``CachingError/queueFull(bytes:limit:)`` when the queue is full and nothing was written for
  ///   ``Configuration/storeTimeout``; ``CachingError/locked(path:)`` at once while the folder cannot be locked. After
  ///   ``CachingError/cancelled`` the record may still be stored.
  public nonisolated func store(
    _ data: Data, metadata: RecordMetadata = RecordMetadata(), for key: CacheKey
  ) async throws(CachingError) {
    try await store(data, checksum: nil, metadata: metadata, for: key)
  }

  /// Stores a record like ``store(_:metadata:for:)``.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - checksum: The checksum of the data, where the caller has computed it already: a wrong one makes the record read as
  ///     damaged.
  ///   - metadata: The metadata.
  ///   - key: Its identity.
  package nonisolated func store(
    _ data: Data, checksum: Checksum?, metadata: RecordMetadata, for key: CacheKey
  ) async throws(CachingError) {
    guard !Task.isCancelled else { throw .cancelled }
    let record = try staged(data, metadata, for: key, checksum: checksum)
    try admit()
    if case .full = add(record) { try await enter(record) }
    _ = try await record.ended()
  }

  /// Stores a record, replacing an existing one of the key, and returns at once. The record can be read from then on.
  ///
  /// A thread of the cache writes it later. It is lost if the process ends before; ``flush()`` waits for it and for the
  /// device.
  ///
  /// - Parameters:
  ///   - data: The data. Held in memory until it is written.
  ///   - metadata: The metadata.
  ///   - key: Its identity.
  /// - Returns: A handle to wait for the outcome.
  /// - Throws: ``CachingError/recordTooLarge(bytes:limit:)``, ``CachingError/keyTooLong(bytes:limit:)`` or
  ///   ``CachingError/metadataTooLarge(bytes:limit:)``; ``CachingError/queueFull(bytes:limit:)`` when the queue would
  ///   exceed ``Configuration/stagingByteLimit``; ``CachingError/locked(path:)`` while the folder cannot be locked.
  @discardableResult
  public nonisolated func handOver(
    _ data: Data, metadata: RecordMetadata = RecordMetadata(), for key: CacheKey
  ) throws(CachingError) -> DiskCache.PendingStore {
    let record = try staged(data, metadata, for: key)
    try admit()
    if case .full(let bytes) = add(record) {
      throw .queueFull(bytes: bytes, limit: configuration.stagingByteLimit)
    }
    return DiskCache.PendingStore(record: record)
  }

  /// Removes the record of a key.
  ///
  /// - Returns: Whether there was a record.
  @discardableResult
  public nonisolated func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    guard !Task.isCancelled else { throw .cancelled }
    let record = StagedRecord(key: key, content: .removal, created: reader.now(), weight: 0)
    _ = add(record)
    return try await record.ended()
  }

  private nonisolated func staged(
    _ data: Data, _ metadata: RecordMetadata, for key: CacheKey, checksum: Checksum? = nil
  ) throws(CachingError) -> StagedRecord {
    let limit = configuration.effectiveRecordLimit
    guard data.count <= limit else { throw .recordTooLarge(bytes: data.count, limit: limit) }
    // Checked now: a store that must fail must not replace one that can succeed.
    let size = try RecordHeader.length(key: key, metadata: metadata) + data.count
    guard size <= limit else { throw .recordTooLarge(bytes: size, limit: limit) }
    return StagedRecord(
      key: key, content: .data(data, metadata, checksum), created: reader.now(), weight: size)
  }

  nonisolated func add(
    _ record: StagedRecord, waitingFor entry: CallWaiter<Void>? = nil
  ) -> StagingArea.Admission {
    let admission = staging.add(record, waitingFor: entry)
    if case .first = admission {
      thread.schedule { self.assumeIsolated { $0.serve() } }
    }
    return admission
  }
}
