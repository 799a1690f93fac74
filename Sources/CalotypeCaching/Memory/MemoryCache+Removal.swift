extension MemoryCache {
  /// Removes the value of a key; O(1).
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public nonisolated func remove(_ key: CacheKey) -> Bool {
    table.remove(key.digest)
  }

  /// Removes all values; O(entries).
  public nonisolated func removeAll() {
    table.removeAll()
  }

  /// Removes all values that a selection takes in: of one source in O(its values), by the beginning of the source in
  /// O(sources), by tag in O(entries with tags).
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public nonisolated func removeAll(_ selection: CacheSelection) -> Int {
    table.removeAll(selection)
  }

  /// Removes values whose time to live is over; O(entries). Look-ups do so for the keys they see.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func removeExpired() -> Int {
    table.removeExpired()
  }
}
