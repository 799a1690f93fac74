import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import FoundationEssentials
import HTTPTypes
import Synchronization

extension ImageRequest {
  /// The properties that determine the bytes and the pixels.
  struct Identity: Sendable {
    var source: ImageSource
    /// The options of the decode. Only their limits do not determine the result.
    var decoding = DecodeOptions()
    var headers = HTTPFields()
    var credential: LoadRequest.Credential?
    var partition: String?
    var keyPolicy = ImageRequest.KeyPolicy.absolute
    var fallbacks: [URL] = []
    var loader: ImageRequest.Identified<any ImageLoading>?
    /// The parts of the pipeline that influence the bytes.
    var scope: PipelineScope?
    /// The version of the source that its loader knows: `CachingRule.version`.
    var version: String?
    var expectedDigest: ExpectedDigest?
    var coders: ImageRequest.Identified<CoderRegistry>?
    var frames = ImageRequest.FrameSelection.first
    var statuses = LoadRequest.AcceptedStatuses.success
    /// The hooks; `nil` for none.
    var hookBox: HookBox?
  }

  /// The rules for loading the image.
  struct Rules: Hashable, Sendable {
    var cachePolicy = ImageRequest.CachePolicy.http
    var readTiers = ImageRequest.CacheTiers.all
    var storeTiers = ImageRequest.CacheTiers.all
    var storeDurability = ImageRequest.StoreDurability.none
    var caches: ImageRequest.Identified<ImagePipeline.Caches>?
    var originalSerializer: ImageRequest.Identified<ImagePipeline.OriginalSerializer>?
    var resultEncoding: EncodeOptions?
    var acceptsLarger = false
    var expectedKind: ImageResponse.Kind?
    var includesData = false
    var previews = ImageRequest.PreviewPolicy.off
    var tags: [String] = []
    var priority = ImageRequest.Priority.normal
    var deadline: Duration?
    var timeouts = LoadRequest.Timeouts()
    var failurePolicy = FailurePolicy.respect
    var continuesInBackground = false
    var progressStep = 0.0
    var userInfo: [String: String] = [:]
  }

  /// Shared rules: most requests have the same.
  final class SharedRules: Sendable {
    static let standard = SharedRules(Rules())
    let rules: Rules
    /// Whether the rules accept an image in the memory cache of the pipeline.
    let acceptsMemory: Bool

    init(_ rules: Rules) {
      self.rules = rules
      acceptsMemory =
        rules.cachePolicy.readsCaches && rules.readTiers.contains(.memory) && rules.caches == nil
        && !rules.includesData && rules.expectedKind == nil && rules.storeDurability == .none
    }
  }

  /// The contents of a request, with precomputed properties and keys for lookups.
  // `@unchecked`: the key is written once, by the thread that changed the phase from `empty`, and read only when the
  // phase is `made`.
  final class Contents: @unchecked Sendable {
    let identity: Identity
    let sharedRules: SharedRules
    let hasCacheDirectives: Bool
    let isServedFromMemory: Bool
    let trustsAge: Bool
    /// Whether the loader may know a version of the source.
    let mayHaveVersion: Bool
    /// The identity of the result, made when it is needed: a request that is changed, or is in the scope of a pipeline,
    /// has another one.
    private var madeKey: CacheKey?
    private let keyPhase: Atomic<KeyPhase>
    /// The identity of the original, which images in memory are found without.
    private let madeSourceKey = AtomicLazyReference<KeyBox>()
    /// The contents in the scope of the first pipeline that asked.
    private let scoped = AtomicLazyReference<Contents>()

    var rules: Rules { sharedRules.rules }

    private enum KeyPhase: UInt8, AtomicRepresentable {
      case empty
      /// A thread is writing the key.
      case writing
      /// The key may be read, and does not change any more.
      case made
    }

    private final class KeyBox: Sendable {
      let key: CacheKey

      init(_ key: CacheKey) { self.key = key }
    }

    /// The identity of the result.
    var key: CacheKey {
      if keyPhase.load(ordering: .acquiring) == .made, let madeKey { return madeKey }
      return makeKey()
    }

    @inline(never)
    private func makeKey() -> CacheKey {
      let key = RequestIdentity.key(of: identity)
      // Other threads that need it meanwhile make their own.
      if keyPhase.compareExchange(expected: .empty, desired: .writing, ordering: .acquiring).exchanged {
        madeKey = key
        keyPhase.store(.made, ordering: .releasing)
      }
      return key
    }

    /// The identity of the original.
    var sourceKey: CacheKey {
      if let known = madeSourceKey.load() { return known.key }
      return madeSourceKey.storeIfNil(KeyBox(RequestIdentity.sourceKey(of: identity))).key
    }

    /// Creates contents with other rules; the keys remain.
    convenience init(changing other: Contents, _ rules: Rules) {
      let isMade = other.keyPhase.load(ordering: .acquiring) == .made
      self.init(other.identity, SharedRules(rules), isMade ? other.madeKey : nil)
      if let known = other.madeSourceKey.load() { _ = madeSourceKey.storeIfNil(known) }
    }

    /// Returns the same request in the scope of a pipeline.
    func scoped(to scope: PipelineScope) -> Contents {
      if let known = scoped.load(), known.identity.scope == scope { return known }
      var identity = identity
      identity.scope = scope
      let made = Contents(identity, sharedRules)
      _ = scoped.storeIfNil(made)
      return made
    }

    /// Returns the same request for a version of its source.
    func versioned(_ version: String?) -> Contents {
      var identity = identity
      identity.version = version
      return Contents(identity, sharedRules)
    }

    init(
      _ identity: Identity, _ shared: SharedRules, _ key: CacheKey? = nil
    ) {
      madeKey = key
      keyPhase = Atomic(key == nil ? .empty : .made)
      sharedRules = shared
      hasCacheDirectives =
        !identity.headers.isEmpty
        && (identity.headers.contains(.cacheControl) || identity.headers.contains(.pragma))
      trustsAge = shared.rules.cachePolicy.trustsAge
      mayHaveVersion = identity.source.url.map { !$0.isRemote } ?? (identity.source.version != nil)
      isServedFromMemory = shared.acceptsMemory && !hasCacheDirectives
      // Last, so that it is moved here.
      self.identity = identity
    }
  }
}

extension ImageRequest.Identity {
  /// The `Accept` field to send; `nil` for requests that none is sent with, that have one themselves, or that leave it to
  /// the loader.
  var accept: String? {
    guard mayAccept else { return nil }
    if let coders, scope?.accept?.followsCoders ?? true {
      return ImagePipeline.AcceptField.text(for: coders.part)
    }
    guard let accept = scope?.accept else { return ImagePipeline.AcceptField.standard }
    return accept.value
  }

  /// The part of the keys that tells which bytes a server may have chosen.
  var acceptMark: String? {
    guard mayAccept, accept != ImagePipeline.AcceptField.unmarked else { return nil }
    return accept ?? ""
  }

  private var mayAccept: Bool {
    (source.url?.isRemote == true || fallbacks.contains(where: \.isRemote))
      && (headers.isEmpty || !headers.contains(.accept))
  }
}

extension URL {
  /// Whether HTTP determines the freshness.
  var isRemote: Bool {
    let scheme = scheme
    return scheme == "https" || scheme == "http"
  }
}

extension ImageRequest {
  /// Whether the response may be for one user alone.
  var identifiesUser: Bool {
    (!headers.isEmpty && (headers.contains(.authorization) || headers.contains(.cookie)))
      || credential != nil || partition != nil
      || identity.hookBox?.hooks.interceptor?.part.identity.isEmpty == false
      || identity.source.url?.user != nil || identity.fallbacks.contains { $0.user != nil }
  }

  /// The transforms applied to the image.
  var chain: TransformChain { identity.decoding.transforms }

  /// Returns the key of the result on disk.
  func resultKey(as options: EncodeOptions) -> CacheKey {
    CacheKey(key.text + "encoding \(options.identity)\n", source: key.source)
  }

  /// Returns the key of the image in encoded form: another than that of the result, which has other metadata and other
  /// pixels where the orientation is not applied.
  func encodedKey(as options: EncodeOptions) -> CacheKey {
    CacheKey(key.text + "encoded \(options.identity)\n", source: key.source)
  }

  /// The key of the header of the original.
  var headerKey: CacheKey {
    let coders = identity.coders.map { "coders \($0.name)\n" } ?? ""
    let format = decoding.formatHint.map { "format \($0.rawValue)\n" } ?? ""
    return CacheKey(sourceKey.text + "header\n" + coders + format, source: sourceKey.source)
  }

  /// The key of the image in encoded form, for caches in memory.
  func encodedMemoryKey(as options: EncodeOptions) -> CacheKey { key.variant(options.hashValue) }

  /// The tag of all encoded forms of the image, to remove them together.
  var encodedTag: String { "encoded " + key.hexDigest.prefix(16) }

  /// Whether the result is the decoded original, so that caching the original is enough.
  var isPlain: Bool {
    let decoding = identity.decoding
    return decoding.thumbnail == nil && decoding.maxPixels == nil && decoding.transforms.isEmpty
  }

  /// Whether an encoded result can hold the whole image: 8-bit pixels in sRGB, without metadata.
  var isEncodable: Bool {
    let decoding = identity.decoding
    return decoding.colors == .sRGB && decoding.toneMapping == .sRGB && decoding.pixels == .rgba8
      && !decoding.readsMetadata
  }

  /// Returns the limits of the decoder, in a pipeline with these limits.
  func decodeLimits(in pipeline: DecodeLimits) -> DecodeLimits {
    identity.decoding.givenLimits ?? pipeline
  }

  /// Returns the limits for checking the bytes and their header. All others concern only decodes: requests
  /// that differ in those share a load.
  func loadLimits(in pipeline: DecodeLimits) -> DecodeLimits {
    guard let given = identity.decoding.givenLimits else { return pipeline }
    var limits = pipeline
    limits.maxPixels = given.maxPixels
    limits.maxSide = given.maxSide
    limits.maxFrames = given.maxFrames
    limits.maxBytes = given.maxBytes
    limits.maxScans = given.maxScans
    limits.maxChunkBytes = given.maxChunkBytes
    limits.maxItems = given.maxItems
    limits.maxPages = given.maxPages
    return limits
  }
}
