/// Decides how long responses may be used, with defaults for responses without explicit freshness. A value without I/O;
/// the loading code carries out its decisions.
///
/// It follows RFC 9111 with RFC 5861 and RFC 8246. Times are whole seconds, rounded down.
///
/// ```swift
/// let policy = FreshnessPolicy()
/// switch policy.decision(for: request.headers, stored: response, now: .now) {
/// case .fresh: break                            // the bytes are right
/// case .revalidate(let conditional): …          // ask with these fields; 304 means the bytes are right
/// case .load: …
/// default: …
/// }
/// ```
public struct FreshnessPolicy: Hashable, Sendable {
  /// The kind of cache.
  public enum Mode: String, Hashable, Sendable {
    /// A cache for several users: `s-maxage` counts, and responses that are `private` or depend on `Authorization` are
    /// not stored.
    case shared
    /// A cache for one user.
    case `private`
  }

  /// The kind of cache. ``Mode/shared`` by default: it errs on the safe side, and stores too little rather than showing
  /// one user's response to another.
  public var mode: Mode
  /// The heuristic lifetime of a response that only has a `Last-Modified` date, as a fraction of the time since then.
  /// 0.1 by default.
  public var heuristicFraction: Double
  /// The longest heuristic lifetime. A day by default.
  public var maxHeuristicLifetime: Duration
  /// The lifetime of a response without any information about caching. An hour by default: most images never change
  /// under their URL.
  public var defaultLifetime: Duration
  /// The shortest lifetime, even for responses that declare a shorter one. Zero by default.
  ///
  /// It does not change the meaning of `no-store` and `no-cache`.
  public var minLifetime: Duration
  /// The longest lifetime, which also limits ``minLifetime``. A year by default.
  public var maxLifetime: Duration
  /// A fixed lifetime that overrides that of all responses: `no-cache`, `must-revalidate` and `Age` are then ignored;
  /// `no-store`, `private` and `Vary` are not.
  public var pinnedLifetime: Duration?
  /// Statuses other than 200 and 203 that are stored (negative caching), and their default lifetimes. By default 404
  /// and 410, for one and ten minutes.
  ///
  /// They are never served stale and never revalidated: after they expire the image is loaded anew. Other statuses are
  /// not stored, even with an explicit lifetime: a stored 5xx would hide that the server has recovered.
  public var negativeLifetimes: [Int: Duration]
  /// The longest lifetime of a status in ``negativeLifetimes``. An hour by default.
  public var maxNegativeLifetime: Duration
  /// The default of `stale-while-revalidate` for responses without it. Zero by default: RFC 9111 leaves it to the
  /// server.
  public var staleWhileRevalidate: Duration
  /// The default of `stale-if-error` for responses without it. A day by default.
  public var staleIfError: Duration

  /// Whether `immutable` counts (RFC 8246). `true` by default.
  ///
  /// Only responses that came over an authenticated connection should be believed to be immutable (RFC 8246 §3): a
  /// pipeline sets this to `false` for sources that are not `https` URLs.
  public var honorsImmutable = true
  /// Whether responses remove everything of their origin by `Clear-Site-Data: "cache"`: ``clearing(by:from:)``. `false` by
  /// default: the owner of any path of an origin could empty the cache of the others, again and again.
  public var honorsClearSiteData = false

  /// Creates a policy; parameters have the defaults of the properties.
  ///
  /// - Parameters:
  ///   - mode: The kind of cache.
  ///   - heuristicFraction: The heuristic lifetime as a fraction of the time since the last modification, from 0 to 1.
  ///   - maxHeuristicLifetime: The longest heuristic lifetime.
  ///   - defaultLifetime: The lifetime of responses without any information about caching.
  ///   - minLifetime: The shortest lifetime.
  ///   - maxLifetime: The longest lifetime.
  ///   - pinnedLifetime: A fixed lifetime for all responses.
  ///   - negativeLifetimes: Default lifetimes of statuses other than 200 and 203.
  ///   - maxNegativeLifetime: The longest lifetime of those statuses.
  ///   - staleWhileRevalidate: The default of `stale-while-revalidate`.
  ///   - staleIfError: The default of `stale-if-error`.
  public init(
    mode: Mode = .shared, heuristicFraction: Double = 0.1, maxHeuristicLifetime: Duration = .seconds(86_400),
    defaultLifetime: Duration = .seconds(3600), minLifetime: Duration = .zero,
    maxLifetime: Duration = .seconds(31_536_000), pinnedLifetime: Duration? = nil,
    negativeLifetimes: [Int: Duration] = [404: .seconds(60), 410: .seconds(600)],
    maxNegativeLifetime: Duration = .seconds(3600), staleWhileRevalidate: Duration = .zero,
    staleIfError: Duration = .seconds(86_400)
  ) {
    self.mode = mode
    self.heuristicFraction = heuristicFraction
    self.maxHeuristicLifetime = maxHeuristicLifetime
    self.defaultLifetime = defaultLifetime
    self.minLifetime = minLifetime
    self.maxLifetime = maxLifetime
    self.pinnedLifetime = pinnedLifetime
    self.negativeLifetimes = negativeLifetimes
    self.maxNegativeLifetime = maxNegativeLifetime
    self.staleWhileRevalidate = staleWhileRevalidate
    self.staleIfError = staleIfError
  }

  /// A policy for images that never change under their URL: all are fresh for `lifetime`.
  public static func pinned(_ lifetime: Duration) -> FreshnessPolicy {
    FreshnessPolicy(pinnedLifetime: lifetime)
  }

  /// Statuses whose bytes are the image.
  static func isPositive(_ status: Int) -> Bool { status == 200 || status == 203 }
}
