import CalotypeCaching

/// The `Cache-Control` of a response, by the rules of imgproxy.
///
/// In this order: the moment of `expires` and the time to live of a fallback image, the shorter first; nothing for errors; with
/// ``passesThrough``, the field of the origin, then its `Expires`; ``timeToLive``; `no-cache`.
public struct CacheControlRule: Hashable, Sendable {
  /// The facts about a response.
  public struct Response: Hashable, Sendable {
    /// The status.
    public var status: Int
    /// The `Cache-Control` field of the origin.
    public var originCacheControl: String?
    /// The `Expires` field of the origin.
    public var originExpires: String?
    /// The moment of the option `expires`, in seconds since 1970; `nil` or 0 for none.
    public var expires: Int64?
    /// Whether the image is the fallback image.
    public var isFallback: Bool

    /// Describes a response.
    public init(
      status: Int = 200, originCacheControl: String? = nil, originExpires: String? = nil,
      expires: Int64? = nil, isFallback: Bool = false
    ) {
      self.status = status
      self.originCacheControl = originCacheControl
      self.originExpires = originExpires
      self.expires = expires
      self.isFallback = isFallback
    }
  }

  /// The seconds for which an image is fresh: `IMGPROXY_TTL`.
  public var timeToLive = 31_536_000
  /// The seconds for which the fallback image is fresh; 0 for those of other images: `IMGPROXY_FALLBACK_IMAGE_TTL`.
  public var fallbackTimeToLive = 0
  /// Whether the fields of the origin decide: `IMGPROXY_CACHE_CONTROL_PASSTHROUGH`.
  public var passesThrough = false
  /// Whether `no-store` and `private` of the origin hold although its fields do not decide, and `Expires` in the past means stale.
  /// imgproxy ignores them.
  public var respectsPrivacy = true

  /// Creates the rule with its defaults.
  public init() {}

  /// Returns the value of the field; `nil` for none.
  ///
  /// - Parameter now: Seconds since 1970.
  public func value(for response: Response, now: Int64) -> String? {
    let age = explicitAge(of: response, now: now)
    if let age, age > 0 { return Self.fresh(for: age, scope: scope(of: response)) }
    if response.status >= 400 { return nil }
    if passesThrough, let value = passedThrough(response, now: now) { return value }
    if let scope = scope(of: response), scope == "no-store" { return scope }
    return timeToLive > 0 ? Self.fresh(for: Int64(timeToLive), scope: scope(of: response)) : "no-cache"
  }

  /// Returns the seconds that `expires` and the fallback image leave.
  private func explicitAge(of response: Response, now: Int64) -> Int64? {
    var age: Int64?
    if response.isFallback, fallbackTimeToLive > 0 { age = Int64(fallbackTimeToLive) }
    if let expires = response.expires, expires > 0 {
      let (left, overflow) = expires.subtractingReportingOverflow(now)
      let bounded = min(max(overflow ? 0 : left, 0), Int64(max(timeToLive, 0)))
      age = min(age ?? bounded, bounded)
    }
    return age
  }

  private func passedThrough(_ response: Response, now: Int64) -> String? {
    if let value = response.originCacheControl, !value.isEmpty, value.utf8.count <= 1024 { return value }
    guard let value = response.originExpires, !value.isEmpty else { return nil }
    // A date that cannot be read, such as 0, means stale (RFC 9111 §5.3).
    let left = HTTPDate(value).map { Int64($0.secondsSince1970) - now } ?? 0
    if left > 0 { return Self.fresh(for: left, scope: nil) }
    return respectsPrivacy ? "no-cache" : nil
  }

  /// Returns the directive of the origin that forbids to share the response.
  private func scope(of response: Response) -> String? {
    guard respectsPrivacy, let value = response.originCacheControl else { return nil }
    let directives = CacheControlHeader(values: [String(value.prefix(1024))])
    if directives.noStore { return "no-store" }
    return directives.isPrivate == .none ? nil : "private"
  }

  private static func fresh(for seconds: Int64, scope: String?) -> String {
    scope == "no-store" ? "no-store" : "max-age=\(seconds), \(scope ?? "public")"
  }
}
