extension MemoryCache {
  /// Evicts values, next to leave first, until so many bytes are free that were not before; O(evicted), amortised. The last
  /// resort of somebody who needs the memory for something else.
  ///
  /// Values are released by the calling thread before this returns, with no lock of the cache held: whoever calls it under
  /// a lock of their own must know that no value needs that.
  ///
  /// - Parameter bytes: How many, by the costs of the values.
  /// - Returns: How many were freed: at least `bytes`, or all that there was.
  @discardableResult
  package nonisolated func reclaim(bytes: Int) -> Int {
    table.reclaim(bytes: max(0, bytes))
  }

  /// What all values cost now, and what they may; O(1), for those who ask often.
  package nonisolated var usage: (bytes: Int, byteLimit: Int) {
    table.usage
  }
}
