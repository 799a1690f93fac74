extension MemoryCache {
  /// Finds evicted values of a ``MemoryCache`` again while other code still holds them.
  ///
  /// The cache holds only a weak reference and a little metadata for each. Removed, replaced and expired values are not
  /// found again.
  ///
  /// ```swift
  /// let cache = MemoryCache<Texture>(byteLimit: 64 << 20, liveValues: .references)
  /// ```
  public struct LiveValues: Sendable {
    let limit: Int
    let recall: @Sendable (Value) -> @Sendable () -> Value?

    /// Creates a strategy for values that are or contain an object.
    ///
    /// - Parameters:
    ///   - limit: The most evicted values to remember; the oldest are forgotten first.
    ///   - recall: Called with each stored value. Returns a function that returns the value as long as its object
    ///     lives. That function must hold the object weakly; it is called on any thread, with no lock held.
    public init(limit: Int = 1024, recall: @escaping @Sendable (Value) -> @Sendable () -> Value?) {
      self.limit = min(max(0, limit), Int(Int32.max))
      self.recall = recall
    }
  }
}

extension MemoryCache.LiveValues where Value: AnyObject {
  /// Finds values that are objects.
  public static var references: Self {
    Self { value in
      { [weak value] in value }
    }
  }
}
