extension CacheGroup {
  /// The tiers that an operation uses, and their order.
  public enum Policy: String, Hashable, Sendable, CaseIterable {
    /// One after another, the highest first. A look-up ends with the first tier that has the record.
    case serial
    /// All at once. A look-up ends with the first tier that has the record and cancels the others.
    case concurrent
    /// The highest only.
    case highestOnly
    /// The lowest only.
    case lowestOnly
  }

  /// A policy for each operation.
  public struct Policies: Hashable, Sendable {
    /// For ``CacheGroup/read(_:)``. Serial by default.
    public var query: Policy
    /// For ``CacheGroup/store(_:metadata:for:)``. The highest tier by default.
    ///
    /// Once the highest tier has evicted the record, a look-up may find an older one in a lower tier. Other policies
    /// avoid that.
    public var store: Policy
    /// For ``CacheGroup/remove(_:)`` and ``CacheGroup/removeAll(_:)``. Concurrent by default.
    public var remove: Policy
    /// For ``CacheGroup/contains(_:)``. Serial by default.
    public var contains: Policy
    /// For ``CacheGroup/removeAll()``. Concurrent by default.
    public var clear: Policy

    /// The default policies, except for the given ones.
    public init(
      query: Policy = .serial, store: Policy = .highestOnly, remove: Policy = .concurrent,
      contains: Policy = .serial, clear: Policy = .concurrent
    ) {
      self.query = query
      self.store = store
      self.remove = remove
      self.contains = contains
      self.clear = clear
    }
  }

  /// Fills and failures that the callers of a group do not see.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Records that were found in a lower tier and stored into a higher one, counted once for each tier they filled.
    public internal(set) var fills = 0
    /// Failures of each tier, the highest first, including those for which another tier compensated. Cancelled calls do
    /// not count.
    public internal(set) var failures: [Int]
    /// The latest of those failures.
    public internal(set) var lastFailure: CachingError?
  }
}
