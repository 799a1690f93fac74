/// What a ``MemoryCache`` holds and did.
public struct MemoryCacheStatistics: Hashable, Sendable {
  /// Sum of the costs of all entries in bytes; never above the limit.
  public var bytes = 0
  /// Number of entries.
  public var count = 0
  /// Most bytes the cache keeps.
  public var byteLimit = 0
  /// Most entries the cache keeps, or `nil`.
  public var countLimit: Int?
  /// Look-ups that found a value.
  public var hits = 0
  /// Look-ups that found none, or one that was too old.
  public var misses = 0
  /// Values that were removed to stay under a limit.
  public var evictions = 0
  /// Values that were removed because they were too old.
  public var expired = 0
  /// Values that were not stored because they are larger than the limit for one entry.
  public var rejections = 0
}
