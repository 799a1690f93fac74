import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import FoundationEssentials

/// A request and the parts that serve it: its own where it has them, those of the pipeline elsewhere.
struct ResolvedRequest: Sendable {
  var request: ImageRequest
  let loader: any ImageLoading
  let coders: CoderRegistry
  let caches: ImagePipeline.Caches
  let originalSerializer: ImagePipeline.OriginalSerializer
  let resultEncoding: EncodeOptions?
  let limits: DecodeLimits
  /// What of a URL's bytes may be kept.
  let cachingRule: CachingRule

  init(_ request: ImageRequest, _ configuration: ImagePipeline.Configuration) {
    self.request = request
    loader = request.loader?.part ?? configuration.loader
    coders = request.coders?.part ?? configuration.coders
    caches = request.caches?.part ?? configuration.caches
    originalSerializer = request.originalSerializer?.part ?? configuration.originalSerializer
    resultEncoding = request.resultEncoding ?? configuration.resultEncoding
    limits = configuration.decodeLimits
    cachingRule = loader.cachingRule(for: request.source)
    // Before there are pixels of a partition, and for all of the process: buffers go from one pipeline to the next.
    if request.partition != nil { PixelPool.shared.zeroOnReturn() }
  }

  /// The memory cache, if results of the request may be in it.
  ///
  /// Bytes at hand and streams are known by names that mean something to the program alone: memory has them, the disk,
  /// where other programs find them, has not.
  var memory: MemoryCache<CachedImage>? { isAtHand || cachingRule != .never ? caches.memory : nil }

  private var isAtHand: Bool { request.source.url == nil }
  private var isDiskCacheable: Bool { !isAtHand && cachingRule != .never }

  /// The disk cache, if the result may be in it. A result that is its original is not there: the original is.
  var disk: (any DataCaching)? {
    isDiskCacheable && !request.isPlain && request.frames == .first ? caches.disk : nil
  }

  /// The cache that the original may be in.
  var originals: (any DataCaching)? { isDiskCacheable ? caches.originals : nil }

  /// Where the result is on disk: pipelines that share a folder may keep results in different encodings.
  var resultKey: CacheKey? {
    guard let encoding = resultEncoding else { return nil }
    return CacheKey(
      request.key.text + "encoding \(encoding.format) \(encoding.quality) \(encoding.isLossless)\n",
      source: request.key.source)
  }

  /// Whether bytes that cannot be decoded by it cannot be decoded by others either.
  var judgesForAll: Bool { request.coders == nil && request.formatHint == nil }

  /// The tiers that have the result, or the original, however old.
  var cachedTiers: ImageRequest.CacheTiers {
    get async {
      var tiers: ImageRequest.CacheTiers = []
      if memory?.value(for: request.key, allowingStale: true) != nil { tiers.insert(.memory) }
      if let disk, let key = resultKey, (try? await disk.contains(key)) == true { tiers.insert(.disk) }
      if let originals, (try? await originals.contains(request.sourceKey)) == true {
        tiers.insert(.originals)
        if request.isPlain { tiers.insert(.disk) }
      }
      return tiers
    }
  }

  /// Reads the header of an original; `nil` for an image of a known format that no registered coder decodes, which may be
  /// delivered as data all the same.
  func probe(_ data: Data) throws(ImagingError) -> ImageInfo? {
    do {
      return try coders.probe(data, limits: limits, formatHint: request.formatHint)
    } catch .unsupportedFormat {
      return nil
    }
  }

  /// How the original is to be decoded.
  var decodeOptions: DecodeOptions { request.decodeOptions(limits: limits) }

  /// What to ask the loader for.
  var loadRequest: LoadRequest {
    var load = LoadRequest(
      source: request.source, headers: request.headers, timeouts: request.timeouts,
      byteLimit: limits.maxBytes, credential: request.credential, fallbacks: request.fallbacks)
    load.failurePolicy = request.failurePolicy
    load.partition = request.partition
    return load
  }
}

extension DataCaching {
  /// The cache, unless it is only read.
  var writable: (any DataCaching)? { isReadOnly ? nil : self }
}
