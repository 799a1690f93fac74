public import CalotypeCaching
import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// A cache of records in a bucket of an S3-compatible server, shared by many machines.
///
/// It fails open: a bucket that is slow or broken costs a read its deadline, and after ten failures in a row nothing for a
/// while. Reads therefore throw nothing but `CachingError.cancelled`. Stores return when the record is queued; a queue of
/// bounded length writes them later.
///
/// An object is the record file of `DiskCache`. It counts only if its checksums, its lengths and the text of its key fit;
/// otherwise it reads as a miss and is deleted. Private responses, responses with `no-store`, and parts are never stored.
///
/// ```swift
/// let bucket = try Bucket(endpoint: url, region: "eu-central-1", name: "images")
/// let cache = BucketCache(bucket, credentials: .standard)
/// let tiers = CacheGroup([disk, cache], policies: .init(store: .concurrent))
/// ```
///
/// A lifecycle rule of the bucket removes old records: ``Bucket/Folder``.
public final class BucketCache: DataCaching {
  /// The bucket.
  public let bucket: Bucket
  /// The limits.
  public let configuration: Configuration
  let client: BucketClient
  private let writer: BucketWriter
  private let health: BucketHealth
  private let counts = Lock(Statistics())
  private let now: @Sendable () -> Date

  /// Creates a cache.
  public convenience init(
    _ bucket: Bucket, credentials: BucketCredentials, configuration: Configuration = Configuration()
  ) {
    self.init(bucket, credentials: credentials, configuration: configuration, now: { Date.now })
  }

  /// Creates a cache with another time, for tests.
  ///
  /// - Parameters:
  ///   - now: The wall clock, for signatures and the ages of records.
  ///   - clock: The clock of tries and of the breaker.
  ///   - random: Numbers from 0 to 1, for the jitter of tries.
  package init(
    _ bucket: Bucket, credentials: BucketCredentials, configuration: Configuration = Configuration(),
    now: @escaping @Sendable () -> Date, clock: any Clock<Duration> = ContinuousClock(),
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.bucket = bucket
    self.configuration = configuration
    self.now = now
    var limits = BucketLimits()
    limits.head = configuration.readDeadline
    limits.bytesPerSecond = configuration.bytesPerSecond
    var connections = configuration.connections
    connections.maxConcurrent = max(1, configuration.maxReads) + max(1, configuration.maxWrites)
    connections.maxConcurrentPerHost = connections.maxConcurrent
    client = BucketClient(
      bucket, credentials: CredentialStore(credentials, now: now), loader: connections, limits: limits,
      now: now)
    let elapsed = clock.stopwatch
    health = BucketHealth(BucketBreaker(), elapsed: elapsed)
    writer = BucketWriter(
      WriteQueue(byteLimit: configuration.queueLimit, most: configuration.maxWrites), client: client,
      folder: configuration.folder, health: health, clock: clock, elapsed: elapsed, random: random)
  }

  // MARK: Records

  /// Reads the record of a key.
  ///
  /// - Returns: `nil` also when the bucket fails, or does not answer in time.
  /// - Throws: `CachingError.cancelled`.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    try await read(key) { _ in true }
  }

  /// Reads the record of a key if it may be used, as ``read(_:)`` does. A record that may not is not kept beyond its lifetime.
  public func read(
    _ key: CacheKey, where isUsable: @escaping @Sendable (RecordMetadata) -> Bool
  ) async throws(CachingError) -> CacheRecord? {
    guard let record = try await find(key, where: isUsable), isUsable(record.metadata) else { return nil }
    return record
  }

  private func find(
    _ key: CacheKey, where isUsable: @Sendable (RecordMetadata) -> Bool
  ) async throws(CachingError) -> CacheRecord? {
    guard !Task.isCancelled else { throw .cancelled }
    switch writer.pending(key) {
    case .store(let record, _):
      return answer(isExpired(record) ? .expired : .hit(record, bytes: 0))
    case .delete: return answer(.miss)
    case nil: break
    }
    guard health.admission() == nil else {
      counts.withLock { $0.skippedReads += 1 }
      return nil
    }
    do throws(BucketError) {
      let limit = configuration.recordLimit
      let object = try await client.get(bucket.objectKey(key, in: configuration.folder), byteLimit: limit)
      health.record(.success)
      guard let object else { return answer(.miss) }
      let result = outcome(object.body, for: key)
      switch result {
      case .corrupted: writer.add(.delete, for: key)
      case .hit(let record, _) where isUsable(record.metadata):
        renew(record, for: key, written: object.fields)
      case .hit, .miss, .expired, .failure: break
      }
      return answer(result)
    } catch {
      health.record(BucketBreaker.Outcome(error))
      if error == .cancelled { throw .cancelled }
      return answer(.failure(error))
    }
  }

  private enum Outcome {
    case hit(CacheRecord, bytes: Int)
    case miss, expired, corrupted
    case failure(BucketError)
  }

  private func outcome(_ object: Data, for key: CacheKey) -> Outcome {
    do throws(PortableRecord.Damage) {
      let record = try PortableRecord.decode(object, for: key)
      return isExpired(record) ? .expired : .hit(record, bytes: object.count)
    } catch {
      return .corrupted
    }
  }

  /// Writes a record again in the last third of its lifetime, so that the bucket keeps what is read. Several nodes may do so at
  /// the same time, with the same bytes.
  private func renew(_ record: CacheRecord, for key: CacheKey, written fields: HTTPFields) {
    guard let lifetime = configuration.lifetime else { return }
    let now = now().timeIntervalSince1970
    let written =
      fields[.lastModified].flatMap { HTTPDate($0, now: Int(now)) }.map { Double($0.secondsSince1970) }
      ?? record.created.timeIntervalSince1970
    guard now - written > lifetime.inMilliseconds / 1_000 * 2 / 3,
      let pieces = try? PortableRecord.encode(
        record.data, metadata: record.metadata, for: key, created: record.created),
      writer.add(.store(record, pieces), for: key)
    else { return }
    counts.withLock { $0.renewed += 1 }
  }

  private func isExpired(_ record: CacheRecord) -> Bool {
    record.metadata.expires.map { $0 <= now() } ?? false
  }

  private func answer(_ outcome: Outcome) -> CacheRecord? {
    counts.withLock { counts in
      switch outcome {
      case .hit(_, let bytes):
        counts.hits += 1
        counts.bytesRead += bytes
      case .miss: counts.misses += 1
      case .expired:
        counts.misses += 1
        counts.expired += 1
      case .corrupted:
        counts.misses += 1
        counts.corrupted += 1
      case .failure(let error):
        counts.failedReads += 1
        counts.lastFailure = error
      }
    }
    if case .hit(let record, _) = outcome { return record } else { return nil }
  }

  /// Returns whether the bucket has an object of the key, as far as known: `false` also when it fails.
  public func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    guard !Task.isCancelled else { throw .cancelled }
    switch writer.pending(key) {
    case .store(let record, _): return !isExpired(record)
    case .delete: return false
    case nil: break
    }
    guard health.admission() == nil else { return false }
    do throws(BucketError) {
      let fields = try await client.head(bucket.objectKey(key, in: configuration.folder))
      health.record(.success)
      return fields != nil
    } catch {
      health.record(BucketBreaker.Outcome(error))
      if error == .cancelled { throw .cancelled }
      return false
    }
  }

  /// Queues a record and returns. It can be read here from then on; on other machines after it has been written.
  ///
  /// Records that may not be shared are counted and not stored, and so are those that are cheap to make
  /// (``Configuration/minimumCost``), and those that the queue has no room for.
  ///
  /// - Throws: `CachingError.keyTooLong(bytes:limit:)` or `CachingError.metadataTooLarge(bytes:limit:)`;
  ///   `CachingError.cancelled`.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    guard !Task.isCancelled else { throw .cancelled }
    let bytes = try RecordHeader.length(key: key, metadata: metadata) + data.count
    let decision = ShareDecision(
      metadata, bytes: bytes, limit: configuration.recordLimit, minimumCost: configuration.minimumCost)
    guard decision == .share else {
      counts.withLock { counts in
        if decision == .cheap { counts.cheap += 1 } else { counts.unshared += 1 }
      }
      return
    }
    let created = now()
    let pieces = try PortableRecord.encode(data, metadata: metadata, for: key, created: created)
    let record = CacheRecord(data: data, metadata: metadata, created: created, accessed: created)
    writer.add(.store(record, pieces), for: key)
  }

  /// Deletes the object of a key, after writes of it that have begun.
  ///
  /// - Returns: Whether the bucket has been asked to: it does not tell whether there was one.
  /// - Throws: `CachingError.failed(operation:reason:isRetryable:)`; `CachingError.cancelled`, after which the object may
  ///   still be deleted.
  @discardableResult
  public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    guard !Task.isCancelled else { throw .cancelled }
    let waiter = Waiter<BucketError?>()
    guard writer.add(.delete, for: key, waiter: waiter) else {
      throw .failed(operation: "remove", reason: "too many writes to the bucket wait", isRetryable: true)
    }
    switch await waiter.value(onCancel: .cancelled) {
    case nil: return true
    case .cancelled: throw .cancelled
    case let error?:
      throw .failed(operation: "remove", reason: error.description, isRetryable: error.isRetryable)
    }
  }

  /// Forgets records of the selection that wait to be written.
  ///
  /// A bucket cannot be searched for a selection: those that it has remain until the log of purges invalidates them, or
  /// their lifetime ends.
  ///
  /// - Returns: 0: the number of removed objects, as far as known.
  @discardableResult
  public func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    writer.removeStores { key, metadata in selection.contains(source: key.source, tags: metadata.tags) }
    return 0
  }

  /// Forgets all records that wait to be written, as ``removeAll(_:)`` does.
  ///
  /// - Returns: 0.
  @discardableResult
  public func removeAll() async throws(CachingError) -> Int {
    writer.removeStores { _, _ in true }
    return 0
  }

  /// Waits until all stored records have been written or given up: at most about a minute.
  ///
  /// - Throws: `CachingError.cancelled`. Writing continues.
  public func flush() async throws(CachingError) {
    guard await writer.flush() else { throw .cancelled }
  }

  // MARK: State

  /// Whether the bucket answers: `false` while no requests are sent, because the last ones failed. Nodes that wait for records
  /// of each other wait in vain then.
  public var isAnswering: Bool { !health.isOpen }

  /// The activity of the cache.
  public var statistics: Statistics {
    var result = counts.withLock { $0 }
    let figures = writer.figures
    result.stored = figures.counts.stored
    result.bytesWritten = figures.counts.bytes
    result.deleted = figures.counts.deleted
    result.dropped = figures.counts.dropped
    result.failedWrites = figures.counts.failed
    result.retries = figures.counts.retries
    result.queued = figures.count
    result.queuedBytes = figures.bytes
    result.writeLimit = figures.limit
    result.lastFailure = figures.counts.lastFailure ?? result.lastFailure
    result.clockOffset = client.clockOffset
    result.breaker =
      switch health.state {
      case .closed: .closed
      case .open: .open
      case .halfOpen: .halfOpen
      }
    return result
  }

  /// Returns whether the server honours conditions of writes, which a log of purges needs. Sends two conditional writes of
  /// one new key, and deletes it.
  ///
  /// Some servers ignore conditions, others refuse them.
  public func supportsConditionalWrites() async throws(BucketError) -> Bool {
    try await client.supportsConditionalWrites()
  }

  /// Accepts no more stores, gives up those that have not begun, and ends all requests.
  public func shutDown() async {
    writer.close()
    await client.shutDown()
  }
}
