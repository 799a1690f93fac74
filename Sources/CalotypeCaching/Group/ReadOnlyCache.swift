public import FoundationEssentials

/// A read-only view of a cache, such as a folder of images that is shipped with a program.
///
/// Stores and removals fail with ``CachingError/cacheIsReadOnly`` rather than silently doing nothing. A ``CacheGroup``
/// skips it for changes; a record that was removed from the group is still found if such a tier has it.
///
/// ```swift
/// let cache = CacheGroup([disk, ReadOnlyCache(delivered)])
/// ```
public struct ReadOnlyCache: DataCaching {
  /// The underlying cache.
  public let base: any DataCaching

  /// Creates a read-only view of `base`.
  public init(_ base: any DataCaching) {
    self.base = base
  }

  /// `true`.
  public var isReadOnly: Bool { true }

  /// Returns the record of a key in ``base``.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    try await base.read(key)
  }

  /// Returns an acceptable record of a key in ``base``.
  public func read(
    _ key: CacheKey, where isUsable: @escaping @Sendable (RecordMetadata) -> Bool
  ) async throws(CachingError) -> CacheRecord? {
    try await base.read(key, where: isUsable)
  }

  /// Returns whether ``base`` has a record.
  public func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await base.contains(key)
  }

  /// - Throws: ``CachingError/cacheIsReadOnly``.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    throw .cacheIsReadOnly
  }

  /// - Throws: ``CachingError/cacheIsReadOnly``.
  @discardableResult
  public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    throw .cacheIsReadOnly
  }

  /// - Throws: ``CachingError/cacheIsReadOnly``.
  @discardableResult
  public func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    throw .cacheIsReadOnly
  }

  /// - Throws: ``CachingError/cacheIsReadOnly``.
  @discardableResult
  public func removeAll() async throws(CachingError) -> Int {
    throw .cacheIsReadOnly
  }

  /// Does nothing, because nothing can be stored.
  public func flush() async throws(CachingError) {}
}
