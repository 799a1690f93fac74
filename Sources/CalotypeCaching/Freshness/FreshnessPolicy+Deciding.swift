public import FoundationEssentials
public import HTTPTypes

extension FreshnessPolicy {
  /// How a request is answered (RFC 9111 §4).
  ///
  /// A request that asks for a range, or is conditional itself, is not answered from what is stored. `max-age` in a
  /// request does not make it ask for what is `immutable` and fresh; `no-cache` does.
  ///
  /// - Parameters:
  ///   - request: Header fields of the request, of a `GET`.
  ///   - stored: What is stored for it, if anything is.
  ///   - now: The time.
  public func decision(for request: HTTPFields, stored: StoredResponse?, now: Date) -> CacheDecision {
    let wants = CacheControlHeader(request: request)
    let otherwise = wants.onlyIfCached ? CacheDecision.unavailable : .load
    guard let stored, Self.isPlain(request), stored.matches(request) else { return otherwise }
    let now = HTTPSeconds.of(now)
    let judged = FreshnessState(of: stored, under: self, now: now)
    // The age does not become less when the clock is set back.
    let end = HTTPSeconds.date(max(now, stored.received) + judged.lifetime - judged.age)
    let mayUse = wants.noCache == .none && !judged.alwaysRevalidates && judged.isYoungEnough(for: wants)
    if mayUse {
      if judged.isFresh, judged.lifetime - judged.age >= wants.minFresh ?? 0 { return .fresh(until: end) }
      if !judged.isFresh, !judged.neverStale, wants.minFresh == nil {
        if let maxStale = wants.maxStale, judged.staleness <= maxStale { return .stale(since: end) }
        if judged.staleWhileRevalidate > judged.staleness {
          return wants.onlyIfCached ? .stale(since: end) : .staleWhileRevalidate(stored.conditionalFields)
        }
      }
    }
    guard !wants.onlyIfCached, judged.isPositive, stored.hasValidators else { return otherwise }
    return .revalidate(stored.conditionalFields)
  }

  /// Whether what is stored may be used because the server cannot be reached, or answers with a status that
  /// ``isFailure(status:)`` (RFC 5861 §4, RFC 9111 §4.2.4).
  ///
  /// The time that a request names counts, then that of the response, then ``staleIfError``. Never, if the response says
  /// `no-cache` or `must-revalidate`, or in a shared cache `proxy-revalidate` or `s-maxage`, or if the request wants it
  /// confirmed or younger.
  ///
  /// - Parameters:
  ///   - stored: What is stored.
  ///   - request: Header fields of the request.
  ///   - now: The time.
  public func mayServeOnError(_ stored: StoredResponse, for request: HTTPFields, now: Date) -> Bool {
    guard Self.isPlain(request), stored.matches(request) else { return false }
    let wants = CacheControlHeader(request: request)
    let judged = FreshnessState(of: stored, under: self, now: HTTPSeconds.of(now))
    guard judged.isPositive, !judged.alwaysRevalidates, wants.noCache == .none,
      judged.isYoungEnough(for: wants)
    else {
      return false
    }
    if judged.isFresh { return judged.lifetime - judged.age >= wants.minFresh ?? 0 }
    guard !judged.neverStale, wants.minFresh == nil else { return false }
    if let maxStale = wants.maxStale, judged.staleness <= maxStale { return true }
    return (wants.staleIfError ?? judged.staleIfError) > judged.staleness
  }

  /// Whether a status says that the server fails, and not what it thinks of the image: 500, 502, 503 and 504
  /// (RFC 5861 §4).
  public static func isFailure(status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

  /// Whether the answer to a request would be a whole image. Others are between those who ask and the server.
  private static func isPlain(_ request: HTTPFields) -> Bool {
    ![HTTPField.Name.range, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince].contains {
      request.contains($0)
    }
  }
}
