public import CalotypeCaching

extension ImagePipeline {
  /// The caches of a pipeline: decoded results, encoded results and originals.
  public struct Caches: Sendable {
    /// The cache of decoded images; `nil` for none.
    public var memory: (any ImageCaching)? {
      get { decoded?.cache }
      set { decoded = newValue.map(DecodedTier.init) }
    }
    /// The cache of decoded images, as it is used.
    private(set) var decoded: DecodedTier?
    /// The cache of encoded images (``ImagePipeline/encoded(_:as:)-(ImageRequest,EncodeOptions)``) in memory; `nil` for none.
    public var encoded: MemoryCache<EncodedImage>?
    /// The cache of encoded results, in files or another storage; `nil` for none.
    public var disk: (any DataCaching)?
    /// The cache of originals as they were served; `nil` for none.
    public var originals: (any DataCaching)?

    /// How long originals and results stay in ``originals`` and ``disk``. Without limits by default.
    public var maxAge = MaxAge()

    /// Age limits by the kind of a record, also where both kinds share one cache.
    ///
    /// An age counts from when the pipeline stored the record, or stored it again after the server confirmed it; reads do
    /// not prolong it. The pipeline writes the end into the record (`RecordMetadata.expires`), so a limit applies to
    /// records that are stored from then on. The age limit of the cache itself counts as well: whichever ends first.
    public struct MaxAge: Hashable, Sendable {
      /// For originals, and for absences that are remembered in their place; `nil` for no limit. Zero or less stores
      /// nothing that could be read.
      public var originals: Duration?
      /// For encoded results and encoded images; `nil` for no limit. Zero or less stores nothing that could be read.
      public var results: Duration?

      /// Creates age limits.
      public init(originals: Duration? = nil, results: Duration? = nil) {
        self.originals = originals
        self.results = results
      }
    }

    /// Creates a set of caches.
    ///
    /// - Parameters:
    ///   - memory: The cache of decoded images.
    ///   - disk: The cache of encoded results, and of originals as well.
    ///   - encoded: The cache of encoded images in memory.
    public init(
      memory: (any ImageCaching)? = nil, disk: (any DataCaching)? = nil,
      encoded: MemoryCache<EncodedImage>? = nil
    ) {
      self.init(memory: memory, disk: disk, originals: disk, encoded: encoded)
    }

    /// Creates a set of caches, with a separate one for originals.
    public init(
      memory: (any ImageCaching)?, disk: (any DataCaching)?, originals: (any DataCaching)?,
      encoded: MemoryCache<EncodedImage>? = nil
    ) {
      decoded = memory.map(DecodedTier.init)
      self.encoded = encoded
      self.disk = disk
      self.originals = originals
    }

    /// Whether originals have a separate cache.
    var keepsOriginalsApart: Bool {
      switch (disk, originals) {
      case (nil, nil): false
      case (let disk?, let originals?): !disk.isSame(as: originals)
      default: true
      }
    }

    /// The caches of encoded bytes, each once.
    var onDisk: [any DataCaching] {
      guard let disk else { return originals.map { [$0] } ?? [] }
      guard let originals, !disk.isSame(as: originals) else { return [disk] }
      return [disk, originals]
    }
  }
}

extension DataCaching {
  /// Returns whether both are one object. Caches that are values count as different, because repeated
  /// operations are harmless.
  fileprivate func isSame(as other: any DataCaching) -> Bool {
    guard type(of: self) is AnyObject.Type, type(of: other) is AnyObject.Type else { return false }
    return (self as AnyObject) === (other as AnyObject)
  }
}
