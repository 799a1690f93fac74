import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import FoundationEssentials

/// A request with the parts that serve it: its own where it has them, otherwise those of the pipeline.
struct ResolvedRequest: Sendable {
  var request: ImageRequest
  let loader: any ImageLoading
  let coders: CoderRegistry
  let caches: ImagePipeline.Caches
  let originalSerializer: ImagePipeline.OriginalSerializer
  let resultEncoding: EncodeOptions?
  /// The limits of the decoder.
  let limits: DecodeLimits
  /// The limits that the bytes and their header are checked against when they are loaded.
  let loadLimits: DecodeLimits
  /// The rule for storing the bytes of the URL.
  let cachingRule: CachingRule

  init(_ request: ImageRequest, _ configuration: ImagePipeline.Configuration) {
    self.request = request
    loader = request.loader?.part ?? configuration.loader
    coders = request.coders.map { configuration.isolated($0.part) } ?? configuration.coders
    caches = request.caches?.part ?? configuration.caches
    originalSerializer = request.originalSerializer?.part ?? configuration.originalSerializer
    resultEncoding = request.resultEncoding ?? configuration.resultEncoding
    limits = request.decodeLimits(in: configuration.decodeLimits)
    loadLimits = request.loadLimits(in: configuration.decodeLimits)
    // A version that is not part of the key must not be kept.
    let rule = loader.cachingRule(for: request.source)
    cachingRule =
      if let version = request.identity.version {
        .version(version)
      } else if case .version = rule {
        .never
      } else {
        rule
      }
    // Set before pixels of a partition exist, and for the whole process: buffers are reused across
    // pipelines.
    if request.partition != nil { PixelPool.shared.zeroOnReturn() }
  }

  /// The memory cache, if it may contain results of the request.
  ///
  /// The names of bytes at hand and streams are meaningful only to the program: they are cached in memory,
  /// but not on disk, where other programs would find them.
  var memory: DecodedTier? { isMemoryCacheable ? caches.decoded : nil }

  private var isAtHand: Bool {
    switch request.source {
    case .data, .stream: true
    case .url, .provider: false
    }
  }
  private var isMemoryCacheable: Bool { isAtHand || cachingRule != .never }
  private var isDiskCacheable: Bool { !isAtHand && cachingRule != .never }

  /// The disk cache, if it may contain the result. A result that is identical to its original, or that an
  /// encoded one would not hold all of, is cached as the original only.
  var disk: (any DataCaching)? {
    isDiskCacheable && !request.isPlain && request.isEncodable && request.frames == .first ? caches.disk : nil
  }

  /// The cache that may contain the original. Files are not copied.
  var originals: (any DataCaching)? {
    isDiskCacheable && request.source.url?.isFileURL != true ? caches.originals : nil
  }

  /// The key of the result on disk: pipelines that share a folder may store results in different encodings.
  var resultKey: CacheKey? {
    resultEncoding.map(request.resultKey)
  }

  /// The disk cache, if it may contain encoded images of the request.
  var encodedDisk: (any DataCaching)? { isDiskCacheable ? caches.disk : nil }

  /// The memory cache of encoded images, if it may contain those of the request.
  var encodedMemory: MemoryCache<EncodedImage>? { isMemoryCacheable ? caches.encoded : nil }

  /// Whether the header of the original may be kept in memory.
  var keepsHeader: Bool { isMemoryCacheable && caches.decoded != nil && request.limits == nil }

  /// Whether bytes that this request cannot decode are undecodable for all others too.
  var judgesForAll: Bool {
    request.coders == nil && request.decoding.formatHint == nil && request.decoding.extras.isEmpty
  }

  /// The tiers that have the result, or the original, regardless of age.
  var cachedTiers: ImageRequest.CacheTiers {
    get async {
      var tiers: ImageRequest.CacheTiers = []
      if memory?.value(for: request.key, allowingStale: true, now: .now) != nil { tiers.insert(.memory) }
      if let disk, let key = resultKey, (try? await disk.contains(key)) == true { tiers.insert(.disk) }
      if let originals, (try? await originals.contains(request.sourceKey)) == true {
        tiers.insert(.originals)
        if request.isPlain { tiers.insert(.disk) }
      }
      return tiers
    }
  }

  /// Checks the digest of an original, if the request expects one.
  ///
  /// - Throws: ``PipelineError/digestMismatch(_:expected:actual:)``.
  func verify(_ data: Data) throws(PipelineError) {
    guard let expected = request.expectedDigest, let actual = expected.mismatch(of: data) else { return }
    throw .digestMismatch(request.source.description, expected: expected.description, actual: actual)
  }

  /// Reads the header of an original; returns `nil` for an image of a known format without a registered
  /// decoder, which may still be delivered as data.
  func probe(_ data: Data) throws(ImagingError) -> ImageInfo? {
    do {
      return try coders.decodableInfo(
        of: data, limits: loadLimits, formatHint: request.decoding.formatHint)
    } catch .unsupportedFormat {
      return nil
    }
  }

  /// The options for decoding the original.
  var decodeOptions: DecodeOptions {
    var options = request.decoding
    options.limits = limits
    // Left open or set to none: equal options share a decode.
    options.transforms = options.transforms
    return options
  }

  /// The request for the loader.
  var loadRequest: LoadRequest {
    var load = LoadRequest(
      source: request.source, headers: request.headers, timeouts: request.timeouts,
      byteLimit: limits.maxBytes, credential: request.credential, fallbacks: request.fallbacks)
    load.accept = request.identity.accept
    load.failurePolicy = request.failurePolicy
    load.partition = request.partition
    load.statuses = request.statuses
    load.hooks = request.identity.hookBox?.hooks.forLoader
    return load
  }
}

extension DataCaching {
  /// The cache, unless it is read-only.
  var writable: (any DataCaching)? { isReadOnly ? nil : self }
}
