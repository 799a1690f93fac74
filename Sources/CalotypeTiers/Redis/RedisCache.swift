public import CalotypeCaching
import CalotypeSupport
public import FoundationEssentials

/// A cache of small records in Redis, such as thumbnails: a tier between a disk cache and a bucket.
///
/// Redis decides which records to keep (`maxmemory-policy`), and each ends after a time. A damaged record, and one of another
/// key or version, reads as a miss. While there is no connection, everything is a miss and nothing is stored. Private responses
/// and those with `no-store` are never stored. Records cannot be selected: removing a selection is up to the log of purges, and
/// counts nothing here.
public final class RedisCache: DataCaching {
  /// The settings.
  public let configuration: Configuration
  private let client: RedisClient
  private let now: @Sendable () -> Date
  private let counts = Lock(Statistics())

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - client: The client of the server.
  ///   - configuration: The settings.
  ///   - now: The time, for the expiry of records.
  public init(
    _ client: RedisClient, configuration: Configuration = Configuration(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.client = client
    self.configuration = configuration
    self.now = now
  }

  /// The activity of the cache.
  public var statistics: Statistics { counts.withLock { $0 } }

  /// Returns the record of a key, or `nil`; also `nil` while there is no connection, and when Redis does not answer in time.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    let value: RESPValue
    do throws(RedisError) {
      value = try await client.send(
        RESPCommand("GET", name(key)), timeout: configuration.readTimeout)
    } catch {
      if error == .cancelled { throw .cancelled }
      counts.withLock { counts in
        if error == .unavailable { counts.skippedReads += 1 } else { counts.failedReads += 1 }
      }
      return nil
    }
    let record = value.bytes.flatMap { bytes -> CacheRecord? in
      guard bytes.count <= configuration.recordLimit,
        let record = CacheRecord(encoded: Data(bytes), for: key),
        record.metadata.expires.map({ $0 > now() }) ?? true
      else { return nil }
      return record
    }
    counts.withLock { counts in
      if record == nil {
        counts.misses += 1
      } else {
        counts.hits += 1
        counts.bytesRead += value.bytes?.count ?? 0
      }
    }
    return record
  }

  /// Stores a record, replacing an existing one of the key. Does nothing while there is no connection.
  ///
  /// - Throws: `CachingError.recordTooLarge(bytes:limit:)`.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    guard let (command, bytes) = try command(data, metadata, key) else { return }
    let value = try await send(command, timeout: nil)
    if value != nil { stored(bytes) }
  }

  /// Stores a record later, and returns at once. It is dropped, and counted, when it is too large, when too many commands wait,
  /// and while there is no connection.
  public func storeLater(_ data: Data, metadata: RecordMetadata, for key: CacheKey) {
    guard let made = try? command(data, metadata, key) else { return }
    let (command, bytes) = made
    client.shared.submit(command, timeout: nil) { [self] result in
      switch result {
      case .success(.error), .failure(.timedOut): counts.withLock { $0.failedWrites += 1 }
      case .success: stored(bytes)
      case .failure: counts.withLock { $0.dropped += 1 }
      }
    }
  }

  private func stored(_ bytes: Int) {
    counts.withLock { counts in
      counts.stored += 1
      counts.bytesWritten += bytes
    }
  }

  /// Returns the command that stores a record, and the bytes of the record; `nil` for one that is not to be stored.
  private func command(
    _ data: Data, _ metadata: RecordMetadata, _ key: CacheKey
  ) throws(CachingError) -> (RESPCommand, bytes: Int)? {
    guard ShareDecision(metadata, bytes: 0, limit: .max) == .share else {
      counts.withLock { $0.unshared += 1 }
      return nil
    }
    // Nothing is copied for a record that is too large in any case.
    guard data.count <= configuration.recordLimit else { throw tooLarge(data.count) }
    let time = now()
    let bytes = try CacheRecord(data: data, metadata: metadata, created: time, accessed: time)
      .encoded(for: key)
    guard bytes.count <= configuration.recordLimit else {
      throw tooLarge(bytes.count)
    }
    var lifetime = configuration.lifetime
    if let expires = metadata.expires {
      lifetime = min(
        lifetime,
        .milliseconds(Int64(clamping: Int(max(0, min(1e12, expires.timeIntervalSince(time) * 1_000))))))
    }
    guard lifetime > .zero else { return nil }
    let milliseconds = max(1, Int(lifetime.inMilliseconds))
    let head = ["SET", name(key)].map { Array($0.utf8) }
    let tail = ["PX", String(milliseconds)].map { Array($0.utf8) }
    return (RESPCommand(head + [Array(bytes)] + tail), bytes.count)
  }

  private func tooLarge(_ bytes: Int) -> CachingError {
    counts.withLock { $0.unshared += 1 }
    return .recordTooLarge(bytes: bytes, limit: configuration.recordLimit)
  }

  /// Removes the record of a key.
  @discardableResult public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await send(RESPCommand("DEL", name(key)), timeout: nil)?.integer == 1
  }

  /// Removes nothing: see ``RedisCache``.
  @discardableResult public func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    0
  }

  /// Removes nothing: see ``RedisCache``.
  @discardableResult public func removeAll() async throws(CachingError) -> Int { 0 }

  /// Returns at once: nothing in Redis is durable.
  public func flush() async throws(CachingError) {}

  private func name(_ key: CacheKey) -> String { client.name(of: key, "c") }

  private func send(_ command: RESPCommand, timeout: Duration?) async throws(CachingError) -> RESPValue? {
    do throws(RedisError) {
      return try await client.send(command, timeout: timeout)
    } catch {
      switch error {
      case .unavailable: return nil
      case .cancelled: throw .cancelled
      default: throw CachingError(error, operation: "redis")
      }
    }
  }
}
