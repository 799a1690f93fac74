public import CalotypeCaching

/// Where images are kept: decoded results, encoded results and originals.
public struct ImageCaches: Sendable {
  /// Decoded images; `nil` for none.
  public var memory: MemoryCache<CachedImage>?
  /// Encoded results in files, or wherever a cache keeps them; `nil` for none.
  public var disk: (any DataCaching)?
  /// Originals as they were served; `nil` for none.
  public var originals: (any DataCaching)?

  /// Puts caches together.
  ///
  /// - Parameters:
  ///   - memory: Decoded images.
  ///   - disk: Encoded results, and originals as well.
  public init(memory: MemoryCache<CachedImage>? = nil, disk: (any DataCaching)? = nil) {
    self.init(memory: memory, disk: disk, originals: disk)
  }

  /// Puts caches together, with one of its own for originals.
  public init(
    memory: MemoryCache<CachedImage>?, disk: (any DataCaching)?, originals: (any DataCaching)?
  ) {
    self.memory = memory
    self.disk = disk
    self.originals = originals
  }
}
