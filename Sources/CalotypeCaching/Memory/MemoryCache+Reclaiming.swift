extension MemoryCache {
  /// Evicts values in eviction order until `bytes` have been freed; O(evicted), amortised. A last resort when the
  /// memory is needed elsewhere.
  ///
  /// The calling thread releases the values before this returns, with no lock of the cache held. A caller that holds a
  /// lock must know that releasing a value does not take it.
  ///
  /// - Parameter bytes: The bytes to free, by the costs of the values.
  /// - Returns: The bytes freed: at least `bytes`, or the whole cache.
  @discardableResult
  package nonisolated func reclaim(bytes: Int) -> Int {
    table.reclaim(bytes: max(0, bytes))
  }

  /// The total cost of all values and its limit; O(1), cheaper than ``statistics``.
  package nonisolated var usage: (bytes: Int, byteLimit: Int) {
    table.usage
  }
}
