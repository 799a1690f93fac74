extension MemoryCache {
  /// The smallest value of the same picture that is at least as wide and as high, for a request that need not be met
  /// exactly; O(sizes of the picture that are stored).
  ///
  /// Only values that were stored with a ``Rendition`` are found, and ``value(for:allowingStale:)`` never returns one
  /// of another size. A find counts as a hit; finding none counts as nothing, since a look-up of the key itself has
  /// counted as a miss before.
  ///
  /// - Parameters:
  ///   - rendition: The picture, and the least size.
  ///   - allowingStale: Whether a value counts that is no longer fresh.
  public nonisolated func value(coveringAtLeast rendition: MemoryTier.SizeVariant, allowingStale: Bool = false) -> Value?
  {
    table.lookUp(coveringAtLeast: rendition, allowingStale: allowingStale).map(Self.open)
  }
}
