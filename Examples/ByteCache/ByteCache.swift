// Encoded bytes in memory: how a program brings a cache of its own along.
//
//   let cache = CacheGroup([ByteCache(byteLimit: 64 << 20), disk], policies: .init(store: .concurrent))
//
// A type that conforms to DataCaching is a cache, alone or as a tier of a CacheGroup. What it promises stands there; the
// points that are easily missed:
//
//   - what was too long ago is nil, by RecordMetadata.expires, and not only when it is evicted
//   - a record that is replaced no longer counts, in bytes and in selections
//   - a record that cannot be kept is an error, and the one before it is gone or whole
//   - the data of a record has indices from zero, whatever slice was stored
//
// It is an actor because all it does is quick. What waits for files, or computes for long, belongs on threads of its own.

public import CalotypeCaching
public import FoundationEssentials

/// Keeps encoded bytes in memory under a limit; the least recently used record goes first.
///
/// For whoever decodes the same few images again and again at ever other sizes, and would rather not read them from disk
/// each time. Reads, stores and removals take constant time, selections time for each record.
public actor ByteCache: DataCaching {
  /// Most bytes of all data together.
  public let byteLimit: Int
  /// Bytes of all data now.
  public private(set) var byteCount = 0

  /// Records may be without bytes.
  private static let countLimit = 100_000

  private struct Entry {
    var record: CacheRecord
    let source: String
    /// The records that were used just before and after this one.
    var older: CacheKey?
    var newer: CacheKey?
  }

  private var entries: [CacheKey: Entry] = [:]
  private var oldest: CacheKey?
  private var newest: CacheKey?
  private let now: @Sendable () -> Date

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: Most bytes of all data together.
  ///   - now: The clock that tells what has expired.
  public init(byteLimit: Int, now: @escaping @Sendable () -> Date = { Date.now }) {
    self.byteLimit = byteLimit
    self.now = now
  }

  /// The record of a key, which becomes the one that was used last.
  public func read(_ key: CacheKey) -> CacheRecord? {
    guard contains(key), let entry = take(key) else { return nil }
    put(
      CacheRecord(
        data: entry.record.data, metadata: entry.record.metadata, created: entry.record.created,
        accessed: now()),
      for: key)
    return entry.record
  }

  /// Whether there is a record that has not expired.
  public func contains(_ key: CacheKey) -> Bool {
    guard let entry = entries[key] else { return false }
    if let expires = entry.record.metadata.expires, expires <= now() {
      _ = take(key)
      return false
    }
    return true
  }

  /// Stores a record, and removes those that were not used for longest as far as there is no space.
  ///
  /// - Throws: `CachingError.recordTooLarge` when it alone is over the limit; the record before it is gone then, as it is
  ///   no longer right.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) throws(CachingError) {
    _ = take(key)
    guard data.count <= byteLimit else { throw .recordTooLarge(bytes: data.count, limit: byteLimit) }
    let time = now()
    put(CacheRecord(data: Data(data), metadata: metadata, created: time, accessed: time), for: key)
    while byteCount > byteLimit || entries.count > Self.countLimit, let oldest { _ = take(oldest) }
  }

  /// Removes the record of a key.
  @discardableResult
  public func remove(_ key: CacheKey) -> Bool {
    contains(key) && take(key) != nil
  }

  /// Removes the records of a selection.
  @discardableResult
  public func removeAll(_ selection: CacheSelection) -> Int {
    let selected = entries.filter {
      selection.contains(source: $0.key.source, tags: $0.value.record.metadata.tags)
    }
    .keys
    return selected.count { remove($0) }
  }

  /// Removes all records.
  @discardableResult
  public func removeAll() -> Int {
    defer {
      entries = [:]
      (oldest, newest, byteCount) = (nil, nil, 0)
    }
    return entries.count
  }

  /// Does nothing: what was stored is where it stays.
  public func flush() {}

  private func put(_ record: CacheRecord, for key: CacheKey) {
    entries[key] = Entry(record: record, source: key.source, older: newest, newer: nil)
    if let newest { entries[newest]?.newer = key } else { oldest = key }
    newest = key
    byteCount += record.data.count
  }

  private func take(_ key: CacheKey) -> Entry? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
    if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
    byteCount -= entry.record.data.count
    return entry
  }
}
