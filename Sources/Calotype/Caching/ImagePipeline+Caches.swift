public import CalotypeCaching

extension ImagePipeline {
  /// Where images are kept: decoded results, encoded results and originals.
  public struct Caches: Sendable {
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

    /// Whether originals have a cache of their own.
    var keepsOriginalsApart: Bool {
      switch (disk, originals) {
      case (nil, nil): false
      case (let disk?, let originals?): !disk.isSame(as: originals)
      default: true
      }
    }

    /// Those for encoded bytes, each once.
    var onDisk: [any DataCaching] {
      guard let disk else { return originals.map { [$0] } ?? [] }
      guard let originals, !disk.isSame(as: originals) else { return [disk] }
      return [disk, originals]
    }
  }
}

extension DataCaching {
  /// Whether both are one object. Caches that are values count as different: what is done twice does no harm.
  fileprivate func isSame(as other: any DataCaching) -> Bool {
    guard type(of: self) is AnyObject.Type, type(of: other) is AnyObject.Type else { return false }
    return (self as AnyObject) === (other as AnyObject)
  }
}
