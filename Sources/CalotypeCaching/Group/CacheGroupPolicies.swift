extension CacheGroup {
  /// Which tiers are asked, and in what order.
  public enum Policy: String, Hashable, Sendable, CaseIterable {
    /// One after another, the highest first. A question ends with the first tier that has it.
    case serial
    /// All at once. A question ends with the first answer that has it; the other tiers are cancelled.
    case concurrent
    /// The highest only.
    case highestOnly
    /// The lowest only.
    case lowestOnly
  }

  /// A policy for each verb.
  public struct Policies: Hashable, Sendable {
    /// For ``CacheGroup/read(_:)``. Serial by default.
    public var query: Policy
    /// For ``CacheGroup/store(_:metadata:for:)``. The highest tier by default.
    ///
    /// A lower tier that still has an older record of the key is asked again once the highest has evicted the newer one:
    /// with other policies that does not happen.
    public var store: Policy
    /// For ``CacheGroup/remove(_:)`` and ``CacheGroup/removeAll(_:)``. Concurrent by default.
    public var remove: Policy
    /// For ``CacheGroup/contains(_:)``. Serial by default.
    public var contains: Policy
    /// For ``CacheGroup/removeAll()``. Concurrent by default.
    public var clear: Policy

    /// The default policies with a few things changed.
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

  /// What a group did that its callers did not see.
  public struct Statistics: Hashable, Sendable {
    /// Records that were found in a lower tier and stored into a higher one, counted once for each tier they went to.
    public internal(set) var fills = 0
    /// Failures of tiers, the highest tier first, also where another tier helped out. Cancelled calls are none.
    public internal(set) var failures: [Int]
    /// The latest of those failures.
    public internal(set) var lastFailure: CachingError?
  }
}
