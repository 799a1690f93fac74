public import CalotypeCaching
public import CalotypeImaging
public import CalotypeIsolation
public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

extension ImagePipeline {
  /// The parts of a pipeline. Every part can be replaced.
  public struct Configuration: Sendable {
    /// The loader that fetches the bytes.
    public var loader: any ImageLoading
    /// The coders that decode and encode images.
    public var coders: CoderRegistry
    /// The place where images are decoded. `DecodingIsolation.automatic` by default: AVIF, HEIF, JPEG XL, TIFF and
    /// SVG, as far as the program has them, in processes that can do nothing else.
    public var decoding = DecodingIsolation.automatic
    /// The processes that decode. Set by the pipeline.
    var sandbox: DecodingSandbox?
    /// The formats that requests offer to servers in their `Accept` field. Those among AVIF, JPEG XL and WebP that the
    /// coders decode, by default.
    public var accept = ImagePipeline.AcceptField.decodableFormats
    /// The caches that store images.
    public var caches: ImagePipeline.Caches
    /// The freshness lifetime of HTTP responses.
    public var freshness: FreshnessPolicy
    /// The resources that an image may demand of the decoder, and the number of bytes accepted.
    public var decodeLimits: DecodeLimits
    /// The amount of concurrent and waiting work.
    public var limits = ImagePipeline.Limits()
    /// The memory for work in progress; `nil` for an own instance with
    /// ``ImagePipeline/Memory/defaultByteLimit``, within ``limits``. Several pipelines may share one.
    public var memory: ImagePipeline.Memory?
    /// The form in which originals are stored on disk.
    public var originalSerializer: ImagePipeline.OriginalSerializer
    /// The encoding of results on disk. Lossless by default, so that cached and new images are identical.
    /// `nil` stores no results: each is made from its original again.
    public var resultEncoding: EncodeOptions?
    /// The transforms of all requests that specify none. None by default.
    public var transforms: TransformChain = []
    /// Closures that see each request first, in this order, and may change it: add a header for a host, or
    /// a transform for all. They must be pure and fast, because they are called at every lookup.
    public var interceptors: [@Sendable (ImageRequest) -> ImageRequest] = []
    /// Decides whether an image that is in no cache may be loaded. Called before each load; a refusal is
    /// ``PipelineError/loadDenied(_:reason:)``.
    public var shouldLoad: (@Sendable (ImageRequest) async throws -> ImagePipeline.LoadDecision)?
    /// Whether equal requests are coalesced. On by default; if off, each request does its own work.
    public var sharesWork = true
    /// The clock for freshness.
    public var now: @Sendable () -> Date
    /// The clock for deadlines and intervals.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The means by which the pipeline works together with those of other nodes. None by default.
    public var nodes = ImagePipeline.Nodes()
    /// Observers of pipeline events, such as logs and metrics, notified in this order. None by default.
    public var observers: [any PipelineObserving] = []
    /// Creates a span for each request and for each stage of a job; `InstrumentationSystem.tracer` is the
    /// tracer of the process. None by default.
    public var tracer: (any PipelineTracing)?
    /// The source of memory pressure for ``ImagePipeline/run(until:)``. The system by default; `nil` for
    /// none.
    public var memoryPressure: (any MemoryPressureProviding)? = DefaultMemoryPressure()
    /// Followers of ``memoryPressure`` in addition to the memory cache while the pipeline runs as a
    /// service, such as frame pools.
    public var memoryPressureFollowers: [any MemoryPressureFollowing] = []
    /// The interval at which ``ImagePipeline/run(until:)`` takes a sample for the observers.
    public var sampleInterval = Duration.seconds(10)
    /// The time that ``ImagePipeline/run(until:)`` gives work in progress after a shutdown request.
    public var drainDeadline = Duration.seconds(30)

    /// Creates a configuration with memory and disk cache at their default limits and place, libcurl, and
    /// all codecs.
    ///
    /// - Parameter urls: The trust in the URLs of requests.
    public init(urls: URLTrust) {
      self.init(
        loader: urls == .trusted ? LoaderGroup.standard : LoaderGroup.forUntrustedURLs(),
        memoryCache: MemoryCache())
    }

    /// The default limit of ``encodedCache``: 1/32 of the memory that the process may use, at most 64 MiB.
    public static var defaultEncodedByteLimit: Int { MemoryCache<EncodedImage>.defaultByteLimit / 8 }

    /// Creates a configuration with a loader, memory and disk cache at their default limits and place, and
    /// all codecs.
    ///
    /// - Parameters:
    ///   - loader: The loader that fetches the bytes.
    ///   - coders: The coders that decode and encode images.
    ///   - memoryCache: The cache of decoded images; `nil` for none.
    ///   - diskCache: The cache of originals and encoded results; `nil` for none.
    ///   - originalCache: A separate cache of originals; `nil` for ``ImagePipeline/Caches/disk``.
    ///   - freshness: The freshness lifetime of HTTP responses.
    ///   - decodeLimits: The resources that an image may demand of the decoder.
    ///   - originalSerializer: The form in which originals are stored on disk.
    ///   - resultEncoding: The encoding of results on disk.
    ///   - now: The clock for freshness.
    public init(
      loader: any ImageLoading,
      coders: CoderRegistry = .standard,
      memoryCache: (any ImageCaching)? = MemoryCache(),
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
        memory: memoryCache, disk: diskCache, originals: originalCache ?? diskCache,
        encoded: memoryCache == nil ? nil : MemoryCache(byteLimit: Self.defaultEncodedByteLimit))
      self.freshness = freshness
      self.decodeLimits = decodeLimits
      self.originalSerializer = originalSerializer
      self.resultEncoding = resultEncoding
      self.now = now
    }

    /// The cache of decoded images; `nil` for none.
    public var memoryCache: (any ImageCaching)? {
      get { caches.memory }
      set { caches.memory = newValue }
    }

    /// The cache of encoded images in memory; `nil` for none. There is one by default, unless there is no
    /// cache of decoded images.
    public var encodedCache: MemoryCache<EncodedImage>? {
      get { caches.encoded }
      set { caches.encoded = newValue }
    }

    /// The cache of encoded results, and of originals unless they have a separate cache; `nil` for none.
    public var diskCache: (any DataCaching)? {
      get { caches.disk }
      set {
        let (keepsApart, maxAge) = (caches.keepsOriginalsApart, caches.maxAge)
        caches = ImagePipeline.Caches(
          memory: caches.memory, disk: newValue, originals: keepsApart ? caches.originals : newValue,
          encoded: caches.encoded)
        caches.maxAge = maxAge
      }
    }
  }
}

extension ImagePipeline {
  /// A decision about a load.
  public enum LoadDecision: Hashable, Sendable {
    /// The image may be loaded.
    case allow
    /// The image may not be loaded, for this reason.
    case deny(String)
  }
}
