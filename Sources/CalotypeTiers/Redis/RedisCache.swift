public import CalotypeCaching
import CalotypeSupport
public import FoundationEssentials

/// A cache of small records in Redis, such as thumbnails: a tier between a disk cache and a bucket.
///
/// Redis decides which records to keep (`maxmemory-policy`), and each ends after a time. A damaged record, and one of another
/// key or version, reads as a miss. While there is no connection, everything is a miss and nothing is stored. Records cannot
/// be selected: removing a selection is up to the log of purges, and counts nothing here.
public final class RedisCache: DataCaching {
  /// The settings of a cache.
  public struct Configuration: Hashable, Sendable {
    /// The longest time that a record is kept.
    public var lifetime = Duration.seconds(3_600)
    /// The largest record, with its metadata; bytes.
    public var recordLimit = 64 << 10
    /// The time that a read may take.
    public var readTimeout = Duration.milliseconds(20)

    /// The default settings.
    public init() {}
  }

  private let client: RedisClient
  private let configuration: Configuration
  private let now: @Sendable () -> Date

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

  /// Returns the record of a key, or `nil`; also `nil` while there is no connection.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    let value = try await send(["GET", name(key)], timeout: configuration.readTimeout)
    guard let bytes = value?.bytes, bytes.count <= configuration.recordLimit,
      let record = CacheRecord(encoded: Data(bytes), for: key)
    else { return nil }
    if let expires = record.metadata.expires, expires <= now() { return nil }
    return record
  }

  /// Stores a record, replacing an existing one of the key. Does nothing while there is no connection.
  ///
  /// - Throws: `CachingError.recordTooLarge(bytes:limit:)`.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    let time = now()
    let bytes = try CacheRecord(data: data, metadata: metadata, created: time, accessed: time)
      .encoded(for: key)
    guard bytes.count <= configuration.recordLimit else {
      throw .recordTooLarge(bytes: bytes.count, limit: configuration.recordLimit)
    }
    var lifetime = configuration.lifetime
    if let expires = metadata.expires {
      lifetime = min(
        lifetime,
        .milliseconds(Int64(clamping: Int(max(0, min(1e12, expires.timeIntervalSince(time) * 1_000))))))
    }
    guard lifetime > .zero else { return }
    let milliseconds = max(1, Int(lifetime.inMilliseconds))
    let head = ["SET", name(key)].map { Array($0.utf8) }
    let tail = ["PX", String(milliseconds)].map { Array($0.utf8) }
    _ = try await send(RESPCommand(head + [Array(bytes)] + tail), timeout: nil)
  }

  /// Removes the record of a key.
  @discardableResult public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await send(["DEL", name(key)], timeout: nil)?.integer == 1
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

  private func send(_ words: [String], timeout: Duration?) async throws(CachingError) -> RESPValue? {
    try await send(RESPCommand(words.map { Array($0.utf8) }), timeout: timeout)
  }

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
