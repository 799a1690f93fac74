public import FoundationEssentials
public import HTTPTypes

extension FreshnessPolicy {
  /// Decides how to answer a request (RFC 9111 §4).
  ///
  /// A request for a range, or a conditional one, is not answered from the cache. `max-age` in a request does not
  /// revalidate a fresh `immutable` response, as RFC 8246 §2 has it for a reload; `no-cache` does, which it names as the
  /// signal that a validation is necessary (§2.1). `no-cache` in the response counts, too. A stale response is revalidated
  /// whether it is immutable or not.
  ///
  /// - Parameters:
  ///   - request: Header fields of the request, of a `GET`.
  ///   - stored: The stored response, if there is one.
  ///   - now: The time.
  public func decision(for request: HTTPFields, stored: StoredResponse?, now: Date)
    -> FreshnessPolicy.Decision
  {
    let wants = CacheControlHeader(request: request)
    let otherwise = wants.onlyIfCached ? FreshnessPolicy.Decision.unavailable : .load
    guard let stored, Self.isPlain(request), stored.matches(request) else { return otherwise }
    let now = HTTPSeconds.of(now)
    let judged = FreshnessState(of: stored, under: self, now: now)
    // The age does not decrease when the clock is set back.
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

  /// Returns whether the stored response may be used when the server cannot be reached, or answers with a status for
  /// which ``isFailure(status:)`` is true (RFC 5861 §4, RFC 9111 §4.2.4).
  ///
  /// The time in the request counts first, then that of the response, then ``staleIfError``. Never, if the response
  /// says `no-cache` or `must-revalidate`, or in a shared cache `proxy-revalidate` or `s-maxage`, or if the request
  /// demands a revalidated or younger response.
  ///
  /// - Parameters:
  ///   - stored: The stored response.
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

  /// Returns whether a status reports a failure of the server rather than of the resource: 500, 502, 503 and 504 (RFC
  /// 5861 §4).
  public static func isFailure(status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

  /// Whether the request asks for a whole image unconditionally. Other requests bypass the cache.
  private static func isPlain(_ request: HTTPFields) -> Bool {
    ![HTTPField.Name.range, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince].contains {
      request.contains($0)
    }
  }
}
