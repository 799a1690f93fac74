extension MemoryTier {
  /// The contents and the activity of a ``MemoryCache``.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Sum of the costs of all entries in bytes; never above the limit.
    public var bytes = 0
    /// Number of entries.
    public var count = 0
    /// The present byte limit.
    public var byteLimit = 0
    /// The byte limit without memory pressure.
    public var byteLimitWithoutPressure = 0
    /// The count limit, or `nil`.
    public var countLimit: Int?
    /// The level of memory pressure; `nil` when the cache follows no source.
    public var pressure: MemoryPressure.Level?
    /// Look-ups that found a value.
    public var hits = 0
    /// Look-ups that found none, or one that was too old.
    public var misses = 0
    /// Misses whose key had a value that was not fresh.
    public var stale = 0
    /// Hits that were served by a larger size.
    public var coveringHits = 0
    /// Hits that found an evicted value that other code still held.
    public var revived = 0
    /// Values that were removed to stay under a limit.
    public var evictions = 0
    /// Values that were removed because they were too old.
    public var expired = 0
    /// Values that were not stored because they are larger than the limit for one entry.
    public var rejections = 0
    /// Evicted values that are held weakly now, alive or not.
    public var remembered = 0
  }
}
