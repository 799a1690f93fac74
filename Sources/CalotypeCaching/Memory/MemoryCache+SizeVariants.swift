extension MemoryCache {
  /// Returns the smallest cached size of the same picture that is at least as wide and as high, for requests that
  /// accept a larger size; O(cached sizes of the picture).
  ///
  /// Finds only values that were stored with a ``MemoryTier/SizeVariant``. A result counts as a hit; no result counts
  /// as nothing, because the look-up of the key itself has already counted as a miss.
  ///
  /// - Parameters:
  ///   - sizeVariant: The picture and the minimum size.
  ///   - allowingStale: Whether stale values count.
  public nonisolated func value(
    coveringAtLeast sizeVariant: MemoryTier.SizeVariant, allowingStale: Bool = false
  ) -> Value? {
    table.lookUp(coveringAtLeast: sizeVariant, allowingStale: allowingStale).map(Self.open)
  }
}
