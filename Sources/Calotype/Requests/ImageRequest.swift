public import CalotypeCaching
public import CalotypeImaging
public import CalotypeLoading
public import FoundationEssentials
public import HTTPTypes

/// A description of the image to load, its processing, and the rules for loading it.
///
/// ```swift
/// var request = ImageRequest(url: url, thumbnail: .fit(width: 320, height: 240))
/// request.colors = .asStored  // every field of `decoding` is one of the request
/// request.priority = .high
/// ```
///
/// Two requests with the same ``key`` describe the same image: they share the transfer, the decode, and
/// their entries in both caches. Everything that can change the pixels is part of the key, request headers
/// included; everything else, such as priorities and deadlines, belongs to each request alone.
///
/// A copy costs one reference. Changing a property that is part of the identity recomputes the keys, which
/// takes some microseconds each time.
@dynamicMemberLookup
public struct ImageRequest: Sendable {
  private var contents: Contents
  private static let usualTimeouts = LoadRequest.Timeouts()

  /// Creates a request for any source.
  ///
  /// - Parameters:
  ///   - source: The source of the image.
  ///   - decoding: All options of the decode.
  ///   - headers: The header fields of the request.
  ///   - cachePolicy: The caches to use.
  ///   - priority: The urgency.
  ///   - timeouts: The deadlines of the transfer.
  public init(
    source: ImageSource, decoding: DecodeOptions, headers: HTTPFields = HTTPFields(),
    cachePolicy: ImageRequest.CachePolicy = .http, priority: ImageRequest.Priority = .normal,
    timeouts: LoadRequest.Timeouts = LoadRequest.Timeouts()
  ) {
    var identity = Identity(source: source, decoding: decoding)
    identity.headers = headers
    if case (.http, .normal) = (cachePolicy, priority), timeouts == Self.usualTimeouts {
      contents = Contents(identity, .standard)
    } else {
      var rules = Rules()
      rules.cachePolicy = cachePolicy
      rules.priority = priority
      rules.timeouts = timeouts
      contents = Contents(identity, SharedRules(rules))
    }
  }

  /// Creates a request for any source, with the usual options of the decode.
  public init(
    source: ImageSource, headers: HTTPFields = HTTPFields(), thumbnail: Thumbnail? = nil,
    transforms: ImageRequest.Transforms = .inherit, cachePolicy: ImageRequest.CachePolicy = .http,
    priority: ImageRequest.Priority = .normal, timeouts: LoadRequest.Timeouts = LoadRequest.Timeouts()
  ) {
    self.init(
      source: source, decoding: DecodeOptions(thumbnail: thumbnail, transforms: transforms.given),
      headers: headers, cachePolicy: cachePolicy, priority: priority, timeouts: timeouts)
  }

  /// Creates a request for a URL, with the usual options of the decode.
  @inline(never)
  public init(
    url: URL, headers: HTTPFields = HTTPFields(), thumbnail: Thumbnail? = nil,
    transforms: ImageRequest.Transforms = .inherit, cachePolicy: ImageRequest.CachePolicy = .http,
    priority: ImageRequest.Priority = .normal
  ) {
    // Not inlined: an asynchronous caller would reserve stack space for all parts while it waits.
    self.init(
      source: .url(url), headers: headers, thumbnail: thumbnail, transforms: transforms,
      cachePolicy: cachePolicy, priority: priority)
  }

  /// Creates a request for a URL, with all options of the decode.
  @inline(never)
  public init(
    url: URL, decoding: DecodeOptions, headers: HTTPFields = HTTPFields(),
    cachePolicy: ImageRequest.CachePolicy = .http, priority: ImageRequest.Priority = .normal
  ) {
    self.init(
      source: .url(url), decoding: decoding, headers: headers, cachePolicy: cachePolicy, priority: priority)
  }

  /// The identity of the result.
  public var key: CacheKey { contents.key }
  /// The identity of the encoded original.
  public var sourceKey: CacheKey { contents.sourceKey }

  /// The properties that determine the identity.
  var identity: Identity {
    get { contents.identity }
    set { contents = Contents(newValue, contents.sharedRules) }
  }

  /// The properties that do not affect the identity.
  var rules: Rules {
    get { contents.rules }
    set { contents = Contents(changing: contents, newValue) }
  }

  /// Returns the request in the scope of a pipeline. A request with its own loader is in the scope of that loader.
  func scoped(to scope: PipelineScope) -> ImageRequest {
    guard identity.loader == nil || scope.accept != nil else { return self }
    var request = self
    request.contents = contents.scoped(to: scope)
    return request
  }

  /// Returns the request for the present version of its source, if its loader knows one.
  func versioned(by loader: any ImageLoading) -> ImageRequest {
    guard contents.mayHaveVersion else { return self }
    let version: String? =
      if case .version(let version) = loader.cachingRule(for: source) { version } else { nil }
    guard version != identity.version else { return self }
    var request = self
    request.contents = contents.versioned(version)
    return request
  }

  /// Whether the loader may know a version of the source.
  var mayHaveVersion: Bool { contents.mayHaveVersion }
  /// Whether the request itself carries cache directives.
  var hasCacheDirectives: Bool { contents.hasCacheDirectives }
  /// Whether an image in the memory cache of the pipeline is sufficient.
  var isServedFromMemory: Bool { contents.isServedFromMemory }
  /// Whether that image may be stale.
  var trustsAge: Bool { contents.trustsAge }
}

// MARK: The image

extension ImageRequest {
  /// The source of the image.
  public var source: ImageSource {
    get { identity.source }
    set { identity.source = newValue }
  }

  /// The header fields of the request. Requests with different fields never share work or cache entries,
  /// except for `Cache-Control` and `Pragma`, which direct the caches on the way, the pipeline's included.
  public var headers: HTTPFields {
    get { identity.headers }
    set { identity.headers = newValue }
  }

  /// The credential of the client, sent only to the origin of the URL. Requests with different credentials
  /// never share work or cache entries.
  public var credential: LoadRequest.Credential? {
    get { identity.credential }
    set { identity.credential = newValue }
  }

  /// The owner of the request, such as a tenant or a user. Requests of different partitions share neither
  /// work nor cache entries, even if they are otherwise equal. `nil`, the default, is a partition too.
  public var partition: String? {
    get { identity.partition }
    set { identity.partition = newValue }
  }

  /// The parts of the URL that identify the image. The whole URL by default.
  public var keyPolicy: ImageRequest.KeyPolicy {
    get { identity.keyPolicy }
    set { identity.keyPolicy = newValue }
  }

  /// Alternative URLs of the same image, tried in this order when the source fails permanently.
  public var fallbacks: [URL] {
    get { identity.fallbacks }
    set { identity.fallbacks = newValue }
  }

  /// A digest that the bytes of the original must have. They are checked before anything is decoded, previews included:
  /// others are ``PipelineError/digestMismatch(_:expected:actual:)``. Requests with different digests share no work or
  /// cache entries.
  public var expectedDigest: ExpectedDigest? {
    get { identity.expectedDigest }
    set { identity.expectedDigest = newValue }
  }

  /// A loader that replaces the pipeline's. Its name and its `identity` are part of the keys.
  public var loader: ImageRequest.Identified<any ImageLoading>? {
    get { identity.loader }
    set { identity.loader = newValue }
  }

  /// Coders that replace the pipeline's. Their name is part of the key.
  public var coders: ImageRequest.Identified<CoderRegistry>? {
    get { identity.coders }
    set { identity.coders = newValue }
  }

  /// The options of the decode: size, transforms, orientation, colours, pixels, metadata, format, damage and
  /// limits. Each of them is also a property of the request itself: ``subscript(dynamicMember:)``.
  ///
  /// All options that change the result are part of the ``key``; ``limits`` are not. `DecodeOptions.transforms`
  /// replace ``ImagePipeline/Configuration/transforms``, even by none.
  ///
  /// Options that exclude each other, such as native pixels and a thumbnail, fail with
  /// `ImagingError.invalidParameter` before anything is loaded. Caches treat results by these options:
  ///
  /// * Partial images are never cached.
  /// * Damaged images stay in memory for at most 60 seconds, and are never stored on disk.
  /// * Images with colours as stored, or with metadata, are stored on disk as originals only, because an
  ///   encoded result would lose some of that: each is made from its original again.
  public var decoding: DecodeOptions {
    get { identity.decoding }
    set { identity.decoding = newValue }
  }

  /// An option of ``decoding``.
  ///
  /// ```swift
  /// request.damage = .strict  // request.decoding.damage = .strict
  /// ```
  public subscript<Value>(dynamicMember option: WritableKeyPath<DecodeOptions, Value>) -> Value {
    get { identity.decoding[keyPath: option] }
    set { identity.decoding[keyPath: option] = newValue }
  }

  /// The limits on the image, in place of all of ``ImagePipeline/Configuration/decodeLimits``; `nil`, the default, for
  /// those. To change one of the pipeline's limits, change a copy of them:
  ///
  /// ```swift
  /// request.limits = pipeline.configuration.decodeLimits
  /// request.limits?.maxPixels = 50_000_000
  /// ```
  public var limits: DecodeLimits? {
    get { identity.decoding.givenLimits }
    set { identity.decoding.givenLimits = newValue }
  }

  /// The transforms applied to the image; caches keep the transformed result. By default the pipeline's
  /// transforms apply, and a pipeline has none unless configured. A leading `Resize` is performed during
  /// decoding, unless there is a thumbnail.
  public var transforms: ImageRequest.Transforms {
    get { ImageRequest.Transforms(given: identity.decoding.givenTransforms) }
    set { identity.decoding.givenTransforms = newValue.given }
  }

  /// The frames of an animation to decode: the first, by default, or all.
  public var frames: ImageRequest.FrameSelection {
    get { identity.frames }
    set { identity.frames = newValue }
  }
}

// MARK: Loading rules

extension ImageRequest {
  /// The caches to use, and the conditions under which their entries are acceptable.
  /// ``ImageRequest/CachePolicy/http`` by default.
  public var cachePolicy: ImageRequest.CachePolicy {
    get { rules.cachePolicy }
    set { rules.cachePolicy = newValue }
  }

  /// The caches to read, as far as ``cachePolicy`` allows it. All by default.
  public var readTiers: ImageRequest.CacheTiers {
    get { rules.readTiers }
    set { rules.readTiers = newValue }
  }

  /// The caches to store results in, as far as ``cachePolicy`` allows it. All by default.
  public var storeTiers: ImageRequest.CacheTiers {
    get { rules.storeTiers }
    set { rules.storeTiers = newValue }
  }

  /// The storage that has to complete before the request is answered. ``ImageRequest/StoreDurability/none``
  /// by default.
  public var storeDurability: ImageRequest.StoreDurability {
    get { rules.storeDurability }
    set { rules.storeDurability = newValue }
  }

  /// Caches that replace the pipeline's.
  public var caches: ImageRequest.Identified<ImagePipeline.Caches>? {
    get { rules.caches }
    set { rules.caches = newValue }
  }

  /// A serializer of originals for the disk cache that replaces the pipeline's.
  public var originalSerializer: ImageRequest.Identified<ImagePipeline.OriginalSerializer>? {
    get { rules.originalSerializer }
    set { rules.originalSerializer = newValue }
  }

  /// The encoding of results in the disk cache, instead of the pipeline's.
  public var resultEncoding: EncodeOptions? {
    get { rules.resultEncoding }
    set { rules.resultEncoding = newValue }
  }

  /// Whether a larger version of the image in memory is delivered as it is, instead of making one of the
  /// requested size. Off by default. Applies only to a thumbnail that fits into its box, without
  /// ``transforms``.
  public var acceptsLarger: Bool {
    get { rules.acceptsLarger }
    set { rules.acceptsLarger = newValue }
  }

  /// The acceptable kind of image; an image of the other kind fails with
  /// ``PipelineError/unexpectedKind(_:expected:)``. `nil`, the default, accepts both.
  public var expectedKind: ImageResponse.Kind? {
    get { rules.expectedKind }
    set { rules.expectedKind = newValue }
  }

  /// Whether the encoded original is delivered with the image. Off by default; if on, an image in memory
  /// alone is not sufficient.
  public var includesData: Bool {
    get { rules.includesData }
    set { rules.includesData = newValue }
  }

  /// The previews that ``ImagePipeline/load(_:)-(ImageRequest)`` delivers. None by default.
  public var previews: ImageRequest.PreviewPolicy {
    get { rules.previews }
    set { rules.previews = newValue }
  }

  /// Names for removing the cached entries of the request: `CacheSelection.tag`. A result made for several
  /// requests has the tags of all of them; an entry that is already stored keeps its tags.
  public var tags: [String] {
    get { rules.tags }
    set { rules.tags = newValue }
  }

  /// The urgency of the request. ``ImageRequest/Priority/normal`` by default.
  public var priority: ImageRequest.Priority {
    get { rules.priority }
    set { rules.priority = newValue }
  }

  /// The longest time that the caller waits, from the call to the image. After that the request fails with
  /// ``PipelineError/deadlineExceeded(_:after:)``, while other callers waiting for the same image continue.
  /// `nil`, the default, means no limit.
  public var deadline: Duration? {
    get { rules.deadline }
    set { rules.deadline = newValue }
  }

  /// The deadlines of the transfer. Requests with different timeouts do not share a transfer.
  public var timeouts: LoadRequest.Timeouts {
    get { rules.timeouts }
    set { rules.timeouts = newValue }
  }

  /// The treatment of remembered failures of earlier loads.
  public var failurePolicy: FailurePolicy {
    get { rules.failurePolicy }
    set { rules.failurePolicy = newValue }
  }

  /// Whether the transfer continues with the lowest priority and stores its original after all callers have
  /// left. Off by default: the transfer is cancelled when the last caller leaves.
  public var continuesInBackground: Bool {
    get { rules.continuesInBackground }
    set { rules.continuesInBackground = newValue }
  }
}

extension ImageRequest: Hashable {
  /// Returns whether both requests describe the same image, loaded by the same rules. Parts are compared by
  /// name.
  public static func == (left: ImageRequest, right: ImageRequest) -> Bool {
    left.contents === right.contents
      || (left.key == right.key && left.rules == right.rules
        && left.identity.decoding.givenLimits == right.identity.decoding.givenLimits)
  }

  /// Hashes the identity alone.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
