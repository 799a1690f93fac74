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
    var headers = HTTPFields()
    var credential: LoadRequest.Credential?
    var partition: String?
    var keyPolicy = ImageRequest.KeyPolicy.absolute
    var fallbacks: [URL] = []
    var loader: ImageRequest.Identified<any ImageLoading>?
    /// The scope of the pipeline's loader: ``LoaderScope``.
    var scope: LoaderScope?
    var coders: ImageRequest.Identified<CoderRegistry>?
    var formatHint: ImageFormat?
    var thumbnail: Thumbnail?
    var maxPixels: Int?
    var transforms = ImageRequest.Transforms.inherit
    var animationTransforms = DecodeOptions.AnimationTransforms.everyFrame
    var frames = ImageRequest.FrameSelection.first
    var appliesOrientation = true
    var allowsPartial = false
    var damage = DamagePolicy.tolerate
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
  }

  /// Shared rules: most requests have the same.
  final class SharedRules: Sendable {
    static let standard = SharedRules(Rules())
    let rules: Rules

    init(_ rules: Rules) {
      self.rules = rules
    }
  }

  /// The contents of a request, with precomputed properties for lookups.
  final class Contents: Sendable {
    let identity: Identity
    let sharedRules: SharedRules
    let key: CacheKey
    let sourceKey: CacheKey
    let hasCacheDirectives: Bool
    let isServedFromMemory: Bool
    let trustsAge: Bool
    /// The contents in the scope of the first pipeline that asked.
    private let scoped = AtomicLazyReference<Contents>()

    var rules: Rules { sharedRules.rules }

    convenience init(_ identity: Identity, _ rules: SharedRules) {
      let (sourceKey, key) = RequestIdentity.keys(of: identity)
      self.init(identity, rules, key, sourceKey)
    }

    convenience init(changing other: Contents, _ rules: Rules) {
      self.init(other.identity, SharedRules(rules), other.key, other.sourceKey)
    }

    /// Returns the same request in the scope of a pipeline's loader.
    func scoped(to scope: LoaderScope) -> Contents {
      if let known = scoped.load(), known.identity.scope == scope { return known }
      var identity = identity
      identity.scope = scope
      let made = Contents(identity, sharedRules)
      _ = scoped.storeIfNil(made)
      return made
    }

    private init(_ identity: Identity, _ shared: SharedRules, _ key: CacheKey, _ sourceKey: CacheKey) {
      let rules = shared.rules
      self.identity = identity
      sharedRules = shared
      self.key = key
      self.sourceKey = sourceKey
      hasCacheDirectives =
        identity.headers.contains(.cacheControl) || identity.headers.contains(.pragma)
      trustsAge = rules.cachePolicy.trustsAge
      isServedFromMemory =
        rules.cachePolicy.readsCaches && rules.readTiers.contains(.memory) && !hasCacheDirectives
        && rules.caches == nil && !rules.includesData && rules.expectedKind == nil
        && rules.storeDurability == .none
    }
  }
}

extension ImageRequest {
  /// The transforms applied to the image.
  var chain: TransformChain { identity.transforms.chain }

  /// Whether the result is the decoded original, so that caching the original is enough.
  var isPlain: Bool { thumbnail == nil && maxPixels == nil && chain.isEmpty }

  /// Returns the options for decoding the original.
  func decodeOptions(limits: DecodeLimits) -> DecodeOptions {
    var options = DecodeOptions(
      limits: limits, appliesOrientation: appliesOrientation, allowsPartial: allowsPartial,
      damage: damage, thumbnail: thumbnail, formatHint: formatHint, transforms: chain,
      animationTransforms: animationTransforms)
    options.maxPixels = identity.maxPixels
    return options
  }
}
