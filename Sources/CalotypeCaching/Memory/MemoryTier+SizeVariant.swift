extension MemoryTier {
  /// Which picture a cached value shows, and at what size: a larger one can serve where a smaller one is asked for.
  ///
  /// ```swift
  /// cache.store(image, for: key, cost: cost, rendition: Rendition(of: plain, width: 800, height: 600))
  /// let enough = cache.value(coveringAtLeast: Rendition(of: plain, width: 320, height: 240))
  /// ```
  public struct SizeVariant: Hashable, Sendable {
    /// What all sizes of the picture have in common: the key without the size.
    public let family: CacheKey
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int

    /// Makes a rendition of a family.
    public init(of family: CacheKey, width: Int, height: Int) {
      self.family = family
      self.width = width
      self.height = height
    }
  }
}
