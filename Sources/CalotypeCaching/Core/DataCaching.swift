public import FoundationEssentials

/// A cache of encoded bytes: originals and encoded results. ``DiskCache`` keeps them on disk.
///
/// Conform to this protocol to keep them elsewhere. Misses, expired records and damaged records read as `nil`; errors
/// report failures that an operator should know about. Bytes are returned exactly as they were stored, or not at all.
/// Every call returns when its task is cancelled.
public protocol DataCaching: Sendable {
  /// Whether the cache is read-only and refuses stores and removals. `false` by default.
  var isReadOnly: Bool { get }

  /// Returns the record of a key, or `nil`. Counts as an access.
  ///
  /// - Throws: ``CachingError`` when the place of the records fails, and ``CachingError/cancelled``; never for a miss.
  func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord?

  /// Returns the record of a key if its metadata are acceptable; otherwise `nil`. The default implementation reads the
  /// record: a cache of several tiers looks for an acceptable one in each.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - isUsable: Returns whether a record may be used: not, for example, one that was purged. Called on any thread; must
  ///     return at once.
  /// - Throws: The errors of ``read(_:)``.
  func read(
    _ key: CacheKey, where isUsable: @escaping @Sendable (RecordMetadata) -> Bool
  ) async throws(CachingError) -> CacheRecord?

  /// Stores a record, replacing an existing one of the key. The record can be read when the call returns.
  ///
  /// - Throws: ``CachingError/recordTooLarge(bytes:limit:)``, ``CachingError/cacheIsReadOnly``, and other cases of ``CachingError``
  ///   when the record cannot be kept; the earlier record of the key is whole then, or gone. ``CachingError/cancelled``.
  func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError)

  /// Returns whether there is a readable record. Does not count as an access. The default implementation reads the
  /// record: implement this method in a cache that counts accesses, or that can answer at a lower cost.
  ///
  /// - Throws: The errors of ``read(_:)``.
  func contains(_ key: CacheKey) async throws(CachingError) -> Bool

  /// Removes the record of a key.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``CachingError`` when the record may still be there: ``CachingError/cacheIsReadOnly``, a failure of the place,
  ///   ``CachingError/cancelled``.
  @discardableResult func remove(_ key: CacheKey) async throws(CachingError) -> Bool

  /// Removes the records of a selection.
  ///
  /// - Returns: The number of removed records.
  /// - Throws: The errors of ``remove(_:)``; some records may be gone.
  @discardableResult func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int

  /// Removes all records.
  ///
  /// - Returns: The number of removed records.
  /// - Throws: The errors of ``remove(_:)``; some records may be gone.
  @discardableResult func removeAll() async throws(CachingError) -> Int

  /// Waits until all stored records are durable: for a cache on disk, until they are on the device and survive a loss
  /// of power.
  ///
  /// - Throws: ``CachingError/cancelled`` at once when the task is cancelled, so that a program can end although a
  ///   device does not answer. Writing continues.
  func flush() async throws(CachingError)
}

extension DataCaching {
  /// Returns the result of ``read(_:)`` if its metadata are acceptable.
  public func read(
    _ key: CacheKey, where isUsable: @escaping @Sendable (RecordMetadata) -> Bool
  ) async throws(CachingError) -> CacheRecord? {
    guard let record = try await read(key), isUsable(record.metadata) else { return nil }
    return record
  }

  /// `false`.
  public var isReadOnly: Bool { false }

  /// Returns whether ``read(_:)`` returns a record.
  public func contains(_ key: CacheKey) async throws(CachingError) -> Bool { try await read(key) != nil }
}
