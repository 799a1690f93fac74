public import CalotypeCaching
public import CalotypeImaging
public import CalotypeLoading
public import FoundationEssentials
public import HTTPTypes

/// What to load, what to make of it, and how.
///
/// ```swift
/// var request = ImageRequest(url: url, thumbnail: .fit(width: 320, height: 240))
/// request.priority = .high
/// ```
///
/// Two requests with the same ``key`` are for the same image: they share the transfer, the decode, and their places in
/// both caches. Everything that can change the pixels is part of the key, request headers included; what is not, such as
/// priorities and deadlines, is each request's own.
///
/// A copy costs one reference. Changing what belongs to the identity makes the keys anew, some microseconds each time.
public struct ImageRequest: Sendable {
  private var contents: Contents

  /// Creates a request for any source.
  public init(
    source: ImageSource, headers: HTTPFields = HTTPFields(), thumbnail: Thumbnail? = nil,
    transforms: ImageRequest.Transforms = .inherit,
    animationTransforms: DecodeOptions.AnimationTransforms = .everyFrame,
    appliesOrientation: Bool = true, allowsPartial: Bool = false, damage: DamagePolicy = .tolerate,
    cachePolicy: ImageRequest.CachePolicy = .http, priority: ImageRequest.Priority = .normal,
    timeouts: LoadRequest.Timeouts = LoadRequest.Timeouts()
  ) {
    var identity = Identity(source: source)
    identity.headers = headers
    identity.thumbnail = thumbnail
    identity.transforms = transforms
    identity.animationTransforms = animationTransforms
    identity.appliesOrientation = appliesOrientation
    identity.allowsPartial = allowsPartial
    identity.damage = damage
    if cachePolicy == .http, priority == .normal, timeouts == LoadRequest.Timeouts() {
      contents = Contents(identity, .standard)
    } else {
      var rules = Rules()
      rules.cachePolicy = cachePolicy
      rules.priority = priority
      rules.timeouts = timeouts
      contents = Contents(identity, SharedRules(rules))
    }
  }

  /// Creates a request for a URL.
  @inline(never)
  public init(
    url: URL, headers: HTTPFields = HTTPFields(), thumbnail: Thumbnail? = nil,
    transforms: ImageRequest.Transforms = .inherit, cachePolicy: ImageRequest.CachePolicy = .http,
    priority: ImageRequest.Priority = .normal
  ) {
    // Not inlined: an asynchronous caller would keep room for all its parts while it waits.
    self.init(
      source: .url(url), headers: headers, thumbnail: thumbnail, transforms: transforms,
      cachePolicy: cachePolicy, priority: priority)
  }

  /// Identity of the result.
  public var key: CacheKey { contents.key }
  /// Identity of the encoded original.
  public var sourceKey: CacheKey { contents.sourceKey }

  /// What decides about the identity.
  var identity: Identity {
    get { contents.identity }
    set { contents = Contents(newValue, contents.sharedRules) }
  }

  /// What does not.
  var rules: Rules {
    get { contents.rules }
    set { contents = Contents(changing: contents, newValue) }
  }

  /// The request in the scope of a pipeline's loader; one with a loader of its own is in the scope of that.
  func scoped(to scope: LoaderScope) -> ImageRequest {
    guard identity.loader == nil else { return self }
    var request = self
    request.contents = contents.scoped(to: scope)
    return request
  }

  /// Whether the request itself says what caches may do.
  var hasCacheDirectives: Bool { contents.hasCacheDirectives }
  /// Whether an image in the memory of the pipeline is all that it takes.
  var isServedFromMemory: Bool { contents.isServedFromMemory }
  /// Whether that may be stale.
  var trustsAge: Bool { contents.trustsAge }
}

// MARK: What the image is

extension ImageRequest {
  /// Where the image comes from.
  public var source: ImageSource {
    get { identity.source }
    set { identity.source = newValue }
  }

  /// Header fields of the request. Requests with different fields never share, but for `Cache-Control` and `Pragma`,
  /// which tell the caches on the way what to do, ours included.
  public var headers: HTTPFields {
    get { identity.headers }
    set { identity.headers = newValue }
  }

  /// Who we are to the server; sent to the origin of the URL alone. Requests with different credentials never share.
  public var credential: LoadRequest.Credential? {
    get { identity.credential }
    set { identity.credential = newValue }
  }

  /// Whose request it is: a tenant, a user. Requests of different partitions share nothing, neither work nor caches, even
  /// if they look alike. `nil`, the default, is a partition too.
  public var partition: String? {
    get { identity.partition }
    set { identity.partition = newValue }
  }

  /// What of the URL tells the image from others. The whole URL by default.
  public var keyPolicy: ImageRequest.KeyPolicy {
    get { identity.keyPolicy }
    set { identity.keyPolicy = newValue }
  }

  /// Other places of the same image, asked in this order when the source fails for good.
  public var fallbacks: [URL] {
    get { identity.fallbacks }
    set { identity.fallbacks = newValue }
  }

  /// The loader to ask, instead of the pipeline's. Its name and its `identity` are part of the keys.
  public var loader: ImageRequest.Identified<any ImageLoading>? {
    get { identity.loader }
    set { identity.loader = newValue }
  }

  /// The coders to use, instead of the pipeline's. Their name is part of the key.
  public var coders: ImageRequest.Identified<CoderRegistry>? {
    get { identity.coders }
    set { identity.coders = newValue }
  }

  /// Take this for the format, whatever the first bytes say.
  public var formatHint: ImageFormat? {
    get { identity.formatHint }
    set { identity.formatHint = newValue }
  }

  /// Shrink to this box. `nil` keeps the full size.
  public var thumbnail: Thumbnail? {
    get { identity.thumbnail }
    set { identity.thumbnail = newValue }
  }

  /// Shrink to so many pixels, proportions kept; of this and the ``thumbnail`` the smaller counts. `nil` for no limit.
  public var maxPixels: Int? {
    get { identity.maxPixels }
    set { identity.maxPixels = newValue }
  }

  /// What becomes of the picture in the end; caches keep the result. What the pipeline does by default, which is nothing
  /// unless it was told otherwise. A `Resize` at the beginning is done while the picture is decoded, unless there is a
  /// ``thumbnail``.
  public var transforms: ImageRequest.Transforms {
    get { identity.transforms }
    set { identity.transforms = newValue }
  }

  /// What transforms make of an animation: with `none` it stays as it is.
  public var animationTransforms: DecodeOptions.AnimationTransforms {
    get { identity.animationTransforms }
    set { identity.animationTransforms = newValue }
  }

  /// The first frame, by default, or all of an animation.
  public var frames: ImageRequest.FrameSelection {
    get { identity.frames }
    set { identity.frames = newValue }
  }

  /// Turn the picture upright by its Exif orientation. On by default.
  public var appliesOrientation: Bool {
    get { identity.appliesOrientation }
    set { identity.appliesOrientation = newValue }
  }

  /// Accept the decoded part of a truncated image. Off by default; such images are never cached.
  public var allowsPartial: Bool {
    get { identity.allowsPartial }
    set { identity.allowsPartial = newValue }
  }

  /// The treatment of damaged images. `DamagePolicy.tolerate` by default: they are delivered with
  /// ``ImageResponse/isDamaged``, kept in memory for 60 seconds at most, and on disk not at all.
  public var damage: DamagePolicy {
    get { identity.damage }
    set { identity.damage = newValue }
  }
}

// MARK: How to get it

extension ImageRequest {
  /// Which caches to use, and what makes what they hold good enough. ``ImageRequest/CachePolicy/http`` by default.
  public var cachePolicy: ImageRequest.CachePolicy {
    get { rules.cachePolicy }
    set { rules.cachePolicy = newValue }
  }

  /// The caches that are asked, where ``cachePolicy`` allows it. All by default.
  public var readTiers: ImageRequest.CacheTiers {
    get { rules.readTiers }
    set { rules.readTiers = newValue }
  }

  /// The caches that keep what was made, where ``cachePolicy`` allows it. All by default.
  public var storeTiers: ImageRequest.CacheTiers {
    get { rules.storeTiers }
    set { rules.storeTiers = newValue }
  }

  /// When the request is answered, as far as caches are concerned. ``ImageRequest/StoreDurability/none`` by default.
  public var storeDurability: ImageRequest.StoreDurability {
    get { rules.storeDurability }
    set { rules.storeDurability = newValue }
  }

  /// Caches of its own, instead of the pipeline's.
  public var caches: ImageRequest.Identified<ImagePipeline.Caches>? {
    get { rules.caches }
    set { rules.caches = newValue }
  }

  /// What of the original goes to disk, instead of what the pipeline says.
  public var originalSerializer: ImageRequest.Identified<ImagePipeline.OriginalSerializer>? {
    get { rules.originalSerializer }
    set { rules.originalSerializer = newValue }
  }

  /// How the result is kept on disk, instead of what the pipeline says.
  public var resultEncoding: EncodeOptions? {
    get { rules.resultEncoding }
    set { rules.resultEncoding = newValue }
  }

  /// Take a larger picture of the same that is in memory, as it is, instead of making one of the size asked for. Off by
  /// default. Only for a ``thumbnail`` that is fitted into its box, without ``transforms``.
  public var acceptsLarger: Bool {
    get { rules.acceptsLarger }
    set { rules.acceptsLarger = newValue }
  }

  /// What is acceptable: a picture of the other kind is ``PipelineError/unexpectedKind(_:expected:)``. `nil`, the default,
  /// for either.
  public var expectedKind: ImageResponse.Kind? {
    get { rules.expectedKind }
    set { rules.expectedKind = newValue }
  }

  /// Hand over the encoded original with the image. Off by default; an image in memory alone is not enough then.
  public var includesData: Bool {
    get { rules.includesData }
    set { rules.includesData = newValue }
  }

  /// Which previews ``ImagePipeline/load(_:)-(ImageRequest)`` has. None by default.
  public var previews: ImageRequest.PreviewPolicy {
    get { rules.previews }
    set { rules.previews = newValue }
  }

  /// Names by which what is cached for the request can be removed: `CacheSelection.tag`. What is made for several requests
  /// has the tags of all of them; what is stored already keeps those it has.
  public var tags: [String] {
    get { rules.tags }
    set { rules.tags = newValue }
  }

  /// How urgent it is. ``ImageRequest/Priority/normal`` by default.
  public var priority: ImageRequest.Priority {
    get { rules.priority }
    set { rules.priority = newValue }
  }

  /// How long the caller waits, from the call to the image: then it ends with ``PipelineError/deadlineExceeded(_:after:)``,
  /// and others who wait for the same go on. `nil`, the default, for as long as it takes.
  public var deadline: Duration? {
    get { rules.deadline }
    set { rules.deadline = newValue }
  }

  /// Deadlines of the transfer. Requests that differ in them do not share one.
  public var timeouts: LoadRequest.Timeouts {
    get { rules.timeouts }
    set { rules.timeouts = newValue }
  }

  /// What to make of the memory of failed loads.
  public var failurePolicy: FailurePolicy {
    get { rules.failurePolicy }
    set { rules.failurePolicy = newValue }
  }

  /// If everyone who waited has left, let the transfer go on, as the least urgent, and its original into the cache. Off by
  /// default: the last one to leave ends it.
  public var continuesInBackground: Bool {
    get { rules.continuesInBackground }
    set { rules.continuesInBackground = newValue }
  }
}

extension ImageRequest: Hashable {
  /// Whether both describe the same image, to be loaded by the same rules. Parts are compared by name.
  public static func == (left: ImageRequest, right: ImageRequest) -> Bool {
    left.contents === right.contents || (left.key == right.key && left.rules == right.rules)
  }

  /// Hashes the identity alone.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
