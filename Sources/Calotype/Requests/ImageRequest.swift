public import CalotypeCaching
public import CalotypeImaging
public import CalotypeLoading
public import FoundationEssentials
public import HTTPTypes

/// What to load and what to make of it.
///
/// ```swift
/// var request = ImageRequest(url: url, thumbnail: .fit(320, 240))
/// request.priority = .high
/// ```
///
/// Two requests with the same ``key`` share everything: the transfer, the decode, and their places in both
/// caches. Everything that can change the pixels is part of the key, request headers included.
public struct ImageRequest: Sendable {
  /// Where the image comes from.
  public var source: ImageSource { didSet { updateKeys() } }
  /// Header fields of the request. Requests with different fields never share, but for `Cache-Control` and `Pragma`,
  /// which tell the caches on the way what to do, ours included.
  public var headers: HTTPFields {
    didSet {
      updateKeys()
      hasCacheDirectives = Self.hasCacheDirectives(headers)
    }
  }
  /// Shrink to this box. `nil` keeps the full size.
  public var thumbnail: Thumbnail? { didSet { updateKeys() } }
  /// What becomes of the picture in the end; caches keep the result. A `Resize` at the beginning is done while the
  /// picture is decoded, unless there is a ``thumbnail``.
  public var transforms: TransformChain { didSet { updateKeys() } }
  /// What transforms make of an animation, of which a response has the first frame: with
  /// `none` it stays as it is.
  public var animationTransforms: DecodeOptions.AnimationTransforms { didSet { updateKeys() } }
  /// Turn the picture upright by its Exif orientation. On by default.
  public var appliesOrientation: Bool { didSet { updateKeys() } }
  /// Accept the decoded part of a damaged or truncated image. Off by default; such images are never cached.
  public var allowsPartial: Bool { didSet { updateKeys() } }
  /// Which caches to use, and what makes what they hold good enough.
  public var cachePolicy: CachePolicy
  /// Take a larger picture of the same that is in memory, as it is, instead of making one of the size asked for. Off by
  /// default. Only for a ``thumbnail`` that is fitted into its box, without ``transforms``.
  public var acceptsLarger = false
  /// Names by which what is cached for the request can be removed: `CacheSelection.tag`. No part of its identity: what is
  /// stored already, or being made for somebody else, keeps the tags it has.
  public var tags: [String] = []
  /// The urgency of the work. A job has the highest priority of its subscribers.
  public var priority: TaskPriority
  /// Deadlines of the transfer.
  public var timeouts: LoadTimeouts

  /// Identity of the result.
  public private(set) var key: CacheKey
  /// Identity of the encoded original.
  public private(set) var sourceKey: CacheKey

  /// Whether the request itself says what caches may do. Found out when the headers change: every look-up asks.
  private(set) var hasCacheDirectives: Bool

  /// Creates a request for any source.
  public init(
    source: ImageSource, headers: HTTPFields = HTTPFields(), thumbnail: Thumbnail? = nil,
    transforms: TransformChain = [], animationTransforms: DecodeOptions.AnimationTransforms = .everyFrame,
    appliesOrientation: Bool = true, allowsPartial: Bool = false, cachePolicy: CachePolicy = .http,
    priority: TaskPriority = .medium, timeouts: LoadTimeouts = LoadTimeouts()
  ) {
    self.source = source
    self.headers = headers
    self.thumbnail = thumbnail
    self.transforms = transforms
    self.animationTransforms = animationTransforms
    self.appliesOrientation = appliesOrientation
    self.allowsPartial = allowsPartial
    self.cachePolicy = cachePolicy
    self.priority = priority
    self.timeouts = timeouts
    hasCacheDirectives = Self.hasCacheDirectives(headers)
    (sourceKey, key) = RequestIdentity.keys(
      source: source, headers: headers, thumbnail: thumbnail, transforms: transforms,
      animationTransforms: animationTransforms, appliesOrientation: appliesOrientation,
      allowsPartial: allowsPartial)
  }

  /// Creates a request for a URL.
  public init(
    url: URL, headers: HTTPFields = HTTPFields(), thumbnail: Thumbnail? = nil,
    transforms: TransformChain = [], cachePolicy: CachePolicy = .http, priority: TaskPriority = .medium
  ) {
    self.init(
      source: .url(url), headers: headers, thumbnail: thumbnail, transforms: transforms,
      cachePolicy: cachePolicy, priority: priority)
  }

  private mutating func updateKeys() {
    (sourceKey, key) = RequestIdentity.keys(
      source: source, headers: headers, thumbnail: thumbnail, transforms: transforms,
      animationTransforms: animationTransforms, appliesOrientation: appliesOrientation,
      allowsPartial: allowsPartial)
  }

  private static func hasCacheDirectives(_ headers: HTTPFields) -> Bool {
    !headers.isEmpty && (headers.contains(.cacheControl) || headers.contains(.pragma))
  }

  /// Whether the result is the decoded original, so that caching the original is enough.
  var isPlain: Bool { thumbnail == nil && transforms.isEmpty }

  /// Whether the image may be kept in memory. Local files and `data:` URLs are as near as a cache would be, and a
  /// file may change.
  var isMemoryCacheable: Bool {
    if case .data = source { true } else { isDiskCacheable }
  }

  /// Whether source and result may be kept on disk, where other programs find them too: the names that a program
  /// gives to bytes mean nothing there.
  var isDiskCacheable: Bool {
    guard case .url(let url) = source, let scheme = url.scheme?.lowercased() else { return false }
    return scheme == "http" || scheme == "https"
  }

  /// How the original is to be decoded.
  func decodeOptions(limits: DecodeLimits) -> DecodeOptions {
    DecodeOptions(
      limits: limits, appliesOrientation: appliesOrientation, allowsPartial: allowsPartial,
      thumbnail: thumbnail, transforms: transforms, animationTransforms: animationTransforms)
  }
}

extension ImageRequest: Hashable {
  /// Whether both describe the same image, to be loaded by the same rules.
  public static func == (left: ImageRequest, right: ImageRequest) -> Bool {
    left.key == right.key && left.cachePolicy == right.cachePolicy && left.priority == right.priority
      && left.timeouts == right.timeouts
  }

  /// Hashes the identity alone.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
