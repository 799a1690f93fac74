public import CalotypeCaching
public import CalotypeImaging
public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

extension ImagePipeline {
  /// What a pipeline is made of. Every part can be replaced.
  public struct Configuration: Sendable {
    /// Fetches the bytes.
    public var loader: any ImageLoading
    /// Turns bytes into pixels and back.
    public var coders: CoderRegistry
    /// Decoded images; `nil` for none.
    public var memoryCache: MemoryCache<CachedImage>?
    /// Originals and results in files, or wherever a cache keeps them; `nil` for none.
    public var diskCache: (any DataCaching)?
    /// How long responses of HTTP are right.
    public var freshness: FreshnessPolicy
    /// What an image may demand of the decoder, and how many bytes of it are accepted.
    public var decodeLimits: DecodeLimits
    /// Images decoded and resized at a time; as many as there are processors by default.
    public var decodeConcurrency: Int
    /// What of an original goes to disk.
    public var originalSerializer: OriginalSerializer
    /// How results are kept on disk. Lossless by default, so that an image is the same whether made or found. `nil` keeps
    /// none: each is made of its original again.
    public var resultEncoding: EncodeOptions?
    /// The clock that freshness is told by.
    public var now: @Sendable () -> Date

    /// Memory and disk cache at their default limits and place, libcurl, all codecs.
    public init(
      loader: any ImageLoading = LoaderGroup.standard,
      coders: CoderRegistry = .standard,
      memoryCache: MemoryCache<CachedImage>? = MemoryCache(),
      diskCache: (any DataCaching)? = DiskCache(),
      freshness: FreshnessPolicy = FreshnessPolicy(),
      decodeLimits: DecodeLimits = .default,
      decodeConcurrency: Int? = nil,
      originalSerializer: OriginalSerializer = .asLoaded,
      resultEncoding: EncodeOptions? = .png,
      now: @escaping @Sendable () -> Date = { Date.now }
    ) {
      self.loader = loader
      self.coders = coders
      self.memoryCache = memoryCache
      self.diskCache = diskCache
      self.freshness = freshness
      self.decodeLimits = decodeLimits
      self.decodeConcurrency = max(1, decodeConcurrency ?? Threads.availableProcessors)
      self.originalSerializer = originalSerializer
      self.resultEncoding = resultEncoding
      self.now = now
    }
  }
}
