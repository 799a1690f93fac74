public import FoundationEssentials

/// A cache that is only read, such as a folder of images that a program was delivered with.
///
/// What is stored into it or removed from it is refused with ``CachingError/onlyRead``: who believes that a record is gone
/// must not find it again. A ``CacheGroup`` knows and leaves it out, so that a removed record is found again where it is
/// part of such a tier.
///
/// ```swift
/// let cache = CacheGroup([disk, ReadOnlyCache(delivered)])
/// ```
public struct ReadOnlyCache: DataCaching {
  /// The cache that is read.
  public let base: any DataCaching

  /// Only reads `base`.
  public init(_ base: any DataCaching) {
    self.base = base
  }

  /// `true`.
  public var isReadOnly: Bool { true }

  /// The record of a key in ``base``.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    try await base.read(key)
  }

  /// Whether ``base`` has a record.
  public func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await base.contains(key)
  }

  /// - Throws: ``CachingError/onlyRead``.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    throw .cacheIsReadOnly
  }

  /// - Throws: ``CachingError/onlyRead``.
  @discardableResult
  public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    throw .cacheIsReadOnly
  }

  /// - Throws: ``CachingError/onlyRead``.
  @discardableResult
  public func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    throw .cacheIsReadOnly
  }

  /// - Throws: ``CachingError/onlyRead``.
  @discardableResult
  public func removeAll() async throws(CachingError) -> Int {
    throw .cacheIsReadOnly
  }

  /// Does nothing: there is nothing that was stored.
  public func flush() async throws(CachingError) {}
}
