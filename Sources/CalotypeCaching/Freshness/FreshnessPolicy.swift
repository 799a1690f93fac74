/// How long responses may be used, and what is decided where they do not say. A value; who loads and stores carries it
/// out.
///
/// It follows RFC 9111 with RFC 5861 and RFC 8246. Times are whole seconds; what is less counts as nothing.
///
/// ```swift
/// let policy = FreshnessPolicy()
/// switch policy.decision(for: request.headers, stored: record, now: .now) {
/// case .fresh: break                            // the bytes are right
/// case .revalidate(let conditional): …          // ask with these fields; 304 means the bytes are right
/// case .load: …
/// …
/// }
/// ```
public struct FreshnessPolicy: Hashable, Sendable {
  /// Whose the cache is.
  public enum Mode: String, Hashable, Sendable {
    /// Of several users: `s-maxage` counts, and nothing is stored that is `private` or was only for whoever had the
    /// right `Authorization`.
    case shared
    /// Of one user.
    case `private`
  }

  /// Whose the cache is. ``Mode/shared`` by default: a program may not know whom it serves, and what is wrong then is that
  /// too little is stored, not that somebody sees what was meant for another.
  public var mode: Mode
  /// How long a response is fresh that says nothing but when it was last modified: this part of the time since then. 0.1 by
  /// default.
  public var heuristicFraction: Double
  /// The most that ``heuristicFraction`` leads to. A day by default.
  public var maxHeuristicLifetime: Duration
  /// How long a response is fresh that says nothing at all. An hour by default: most images never change under their
  /// address, and who does not say so does not expect to see changes at once.
  public var defaultLifetime: Duration
  /// Responses are fresh for at least this time, also those that say less. None by default.
  ///
  /// It does not change what `no-store` and `no-cache` mean.
  public var minLifetime: Duration
  /// Responses are fresh for at most this time, whatever they and ``minLifetime`` say. A year by default.
  public var maxLifetime: Duration
  /// When set, responses are fresh for this time whatever they say of lifetimes: `no-cache`, `must-revalidate` and `Age`
  /// mean nothing then. `no-store`, `private` and `Vary` do.
  public var pinnedLifetime: Duration?
  /// Statuses other than 200 and 203 that are stored, and how long they are fresh when they say nothing. By default 404 and
  /// 410, for one and ten minutes.
  ///
  /// They are never served stale and never revalidated: when they have expired the image is loaded anew. Statuses that are
  /// not named are not stored, even if they say how long they are fresh: of 5xx, that would hide that all is well again.
  public var negativeLifetimes: [Int: Duration]
  /// The longest that a status of ``negativeLifetimes`` is fresh, whatever it says. An hour by default.
  public var maxNegativeLifetime: Duration
  /// How long a response that says nothing of it is used stale while the server is asked. None by default: RFC 9111 leaves
  /// that to the server.
  public var staleWhileRevalidate: Duration
  /// How long a response that says nothing of it is used stale when the server cannot be asked. A day by default.
  public var staleIfError: Duration

  /// The default policy with a few things changed.
  ///
  /// - Parameters:
  ///   - mode: Whose the cache is.
  ///   - heuristicFraction: Part of the time since the last modification, from 0 to 1.
  ///   - maxHeuristicLifetime: The most that leads to.
  ///   - defaultLifetime: For responses that say nothing at all.
  ///   - minLifetime: The least.
  ///   - maxLifetime: The most.
  ///   - pinnedLifetime: What counts instead of what responses say.
  ///   - negativeLifetimes: For statuses other than 200 and 203.
  ///   - maxNegativeLifetime: The most for those.
  ///   - staleWhileRevalidate: How long stale responses are used while the server is asked.
  ///   - staleIfError: How long when it cannot be asked.
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

  /// A policy for images that never change under their address: all are fresh for `lifetime`.
  public static func pinned(_ lifetime: Duration) -> FreshnessPolicy {
    FreshnessPolicy(pinnedLifetime: lifetime)
  }

  /// Statuses whose bytes are the image.
  static func isPositive(_ status: Int) -> Bool { status == 200 || status == 203 }
}
