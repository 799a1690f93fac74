extension MemoryCache {
  /// How a ``MemoryCache`` finds values again that it evicted while somebody else still holds them.
  ///
  /// The cache keeps no memory alive for it, only a weak reference and what little belongs to it. Values that were
  /// removed, replaced or have expired are not found again.
  ///
  /// ```swift
  /// let cache = MemoryCache<Texture>(byteLimit: 64 << 20, liveValues: .references)
  /// ```
  public struct LiveValues: Sendable {
    let limit: Int
    let recall: @Sendable (Value) -> @Sendable () -> Value?

    /// Makes the way to find values of a type that is or contains an object.
    ///
    /// - Parameters:
    ///   - limit: Most evicted values that are remembered; the oldest are forgotten first.
    ///   - recall: Is given a value when it is stored, and returns a function that gives it back as long as its object
    ///     lives. That function must hold the object weakly. It is called from any thread, with no lock held.
    public init(limit: Int = 1024, recall: @escaping @Sendable (Value) -> @Sendable () -> Value?) {
      self.limit = min(max(0, limit), Int(Int32.max))
      self.recall = recall
    }
  }
}

extension MemoryCache.LiveValues where Value: AnyObject {
  /// For values that are objects.
  public static var references: Self {
    Self { value in
      { [weak value] in value }
    }
  }
}
