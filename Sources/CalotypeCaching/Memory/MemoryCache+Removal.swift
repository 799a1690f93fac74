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

  /// Removes all values of a selection: by source in O(values of the source), by URL, host or prefix of the source in
  /// O(sources), by tag in O(entries with tags).
  ///
  /// - Returns: The number of removed values.
  @discardableResult
  public nonisolated func removeAll(_ selection: CacheSelection) -> Int {
    table.removeAll(selection)
  }

  /// Removes all expired values; O(entries). A look-up also removes the expired value of its key.
  ///
  /// - Returns: The number of removed values.
  @discardableResult
  public func removeExpired() -> Int {
    table.removeExpired()
  }
}
