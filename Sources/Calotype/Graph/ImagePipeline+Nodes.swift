public import CalotypeCaching

extension ImagePipeline {
  /// The means by which a pipeline works together with those of other nodes. None by default.
  ///
  /// Bytes are shared by a cache that all nodes use, such as a bucket behind the disk cache in a `CacheGroup`. The
  /// coordination saves loads and encodes that another node is busy with, and the log of purges makes purges reach all nodes.
  ///
  /// ```swift
  /// import CalotypeTiers
  ///
  /// configuration.diskCache = CacheGroup([disk, bucket])
  /// configuration.nodes = ImagePipeline.Nodes(
  ///   flights: redis, purges: log, sharesOriginals: { bucket.isAnswering })
  /// ```
  public struct Nodes: Sendable {
    /// Coordinates loads of originals and the making of encoded images: of all nodes with equal requests one works, and the
    /// others take its result from the shared cache. `nil` for none. Requests that identify a user, that reload, or that store
    /// nothing are not coordinated, and failures of the coordination cost time, never an image.
    public var flights: (any FlightCoordinating)?
    /// The log of purges that all nodes apply: see ``ImagePipeline/Cache/purge(_:mode:)``. `nil` for none. Records carry
    /// their position in the log.
    public var purges: (any PurgeLogging)?
    /// Returns whether the cache that all nodes use answers, such as `BucketCache.isAnswering`. While it does not, originals are
    /// loaded without coordination: other nodes would wait for bytes that are too large to be handed to them. Called before each
    /// load, on any thread; must return at once. `nil` for always.
    public var sharesOriginals: (@Sendable () -> Bool)?

    /// Creates the means.
    public init(
      flights: (any FlightCoordinating)? = nil, purges: (any PurgeLogging)? = nil,
      sharesOriginals: (@Sendable () -> Bool)? = nil
    ) {
      self.flights = flights
      self.purges = purges
      self.sharesOriginals = sharesOriginals
    }
  }
}
