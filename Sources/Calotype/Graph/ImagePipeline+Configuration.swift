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
    /// Where images are kept.
    public var caches: ImagePipeline.Caches
    /// How long responses of HTTP are right.
    public var freshness: FreshnessPolicy
    /// What an image may demand of the decoder, and how many bytes of it are accepted.
    public var decodeLimits: DecodeLimits
    /// How much is done at a time, and how much may wait.
    public var limits = ImagePipeline.Limits()
    /// The bytes that are held meanwhile; `nil` for ``ImagePipeline/Memory/defaultByteLimit`` of its own, within ``limits``. Several
    /// pipelines may share one.
    public var memory: ImagePipeline.Memory?
    /// What of an original goes to disk.
    public var originalSerializer: ImagePipeline.OriginalSerializer
    /// How results are kept on disk. Lossless by default, so that an image is the same whether made or found. `nil` keeps
    /// none: each is made of its original again.
    public var resultEncoding: EncodeOptions?
    /// What becomes of the pictures of all requests that do not say otherwise. Nothing by default.
    public var transforms: TransformChain = []
    /// See each request first, in this order, and may change it: a header for a host, a transform for all. Pure and fast;
    /// they are called at every look-up.
    public var interceptors: [@Sendable (ImageRequest) -> ImageRequest] = []
    /// Whether what no cache has may be loaded. Asked before each load; a refusal is ``PipelineError/loadDenied(_:reason:)``.
    public var shouldLoad: (@Sendable (ImageRequest) async throws -> ImagePipeline.LoadDecision)?
    /// Whether equal requests share their work. On by default; off, each request works for itself.
    public var sharesWork = true
    /// The clock that freshness is told by.
    public var now: @Sendable () -> Date
    /// The clock that deadlines and intervals are told by.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Whoever is told what happens: logs, metrics, your own. In this order. None by default.
    public var observers: [any PipelineObserving] = []
    /// Makes a span of each request and of each stage of a job; `InstrumentationSystem.tracer` for that of the process. None
    /// by default.
    public var tracer: (any PipelineTracing)?
    /// What tells ``ImagePipeline/run(until:)`` how short memory is. The system by default; `nil` for nobody.
    public var memoryPressure: (any MemoryPressureProviding)? = DefaultMemoryPressure()
    /// What follows ``memoryPressure`` beside the memory cache while the pipeline runs as a service: frame pools, say.
    public var memoryPressureFollowers: [any MemoryPressureFollowing] = []
    /// How often ``ImagePipeline/run(until:)`` takes a sample for the observers.
    public var sampleInterval = Duration.seconds(10)
    /// How long ``ImagePipeline/run(until:)`` lets what is being done go on after the end has been asked for.
    public var drainDeadline = Duration.seconds(30)

    /// Memory and disk cache at their default limits and place, libcurl, all codecs.
    ///
    /// - Parameter urls: Where the URLs of requests come from.
    public init(urls: URLTrust) {
      self.init(
        loader: urls == .trusted ? LoaderGroup.standard : LoaderGroup.forUntrustedURLs(),
        memoryCache: MemoryCache())
    }

    /// A loader with memory and disk cache at their default limits and place, and all codecs.
    ///
    /// - Parameters:
    ///   - loader: Fetches the bytes.
    ///   - coders: Turns bytes into pixels and back.
    ///   - memoryCache: Decoded images; `nil` for none.
    ///   - diskCache: Originals and encoded results; `nil` for none.
    ///   - originalCache: Originals, if they are to be kept apart; `nil` for ``ImagePipeline/Caches/disk``.
    ///   - freshness: How long responses of HTTP are right.
    ///   - decodeLimits: What an image may demand of the decoder.
    ///   - originalSerializer: What of an original goes to disk.
    ///   - resultEncoding: How results are kept on disk.
    ///   - now: The clock that freshness is told by.
    public init(
      loader: any ImageLoading,
      coders: CoderRegistry = .standard,
      memoryCache: MemoryCache<CachedImage>? = MemoryCache(),
      diskCache: (any DataCaching)? = DiskCache(),
      originalCache: (any DataCaching)? = nil,
      freshness: FreshnessPolicy = FreshnessPolicy(),
      decodeLimits: DecodeLimits = .default,
      originalSerializer: ImagePipeline.OriginalSerializer = .asLoaded,
      resultEncoding: EncodeOptions? = .png,
      now: @escaping @Sendable () -> Date = { Date.now }
    ) {
      self.loader = loader
      self.coders = coders
      caches = ImagePipeline.Caches(
        memory: memoryCache, disk: diskCache, originals: originalCache ?? diskCache)
      self.freshness = freshness
      self.decodeLimits = decodeLimits
      self.originalSerializer = originalSerializer
      self.resultEncoding = resultEncoding
      self.now = now
    }

    /// Decoded images; `nil` for none.
    public var memoryCache: MemoryCache<CachedImage>? {
      get { caches.memory }
      set { caches.memory = newValue }
    }

    /// Encoded results, and originals as well unless they are kept apart; `nil` for none.
    public var diskCache: (any DataCaching)? {
      get { caches.disk }
      set {
        let keepsApart = caches.keepsOriginalsApart
        caches = ImagePipeline.Caches(
          memory: caches.memory, disk: newValue, originals: keepsApart ? caches.originals : newValue)
      }
    }
  }
}

extension ImagePipeline {
  /// Whether an image may be loaded.
  public enum LoadDecision: Hashable, Sendable {
    /// It may.
    case allow
    /// It may not, for this reason.
    case deny(String)
  }
}
