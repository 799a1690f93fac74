extension MemoryTier {
  /// The picture of a cached value and its size: a larger size can serve requests for a smaller one.
  ///
  /// ```swift
  /// cache.store(image, for: key, cost: cost, sizeVariant: MemoryTier.SizeVariant(of: plain, width: 800, height: 600))
  /// let enough = cache.value(coveringAtLeast: MemoryTier.SizeVariant(of: plain, width: 320, height: 240))
  /// ```
  public struct SizeVariant: Hashable, Sendable {
    /// The key of the picture without its size.
    public let family: CacheKey
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int

    /// Creates a size variant of a picture.
    public init(of family: CacheKey, width: Int, height: Int) {
      self.family = family
      self.width = width
      self.height = height
    }
  }
}
