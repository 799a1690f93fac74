/// The freshness of a stored response at one moment, regardless of the request.
struct FreshnessState {
  /// Whether the bytes are the image rather than an error.
  let isPositive: Bool
  let age: Int
  let lifetime: Int
  /// `no-cache`: not to be used without revalidation.
  let alwaysRevalidates: Bool
  /// Never to be used stale.
  let neverStale: Bool
  let isImmutable: Bool
  /// How long it may be used stale while it is revalidated; 0 for not at all.
  let staleWhileRevalidate: Int
  /// How long it may be used stale when the server fails, unless the request says otherwise.
  let staleIfError: Int

  /// - Parameter now: Seconds since 1970.
  init(of stored: StoredResponse, under policy: FreshnessPolicy, now: Int) {
    var control = stored.cacheControl
    isPositive = FreshnessPolicy.isPositive(stored.status)
    lifetime = stored.lifetime(under: policy)
    let isPinned = isPositive && policy.pinnedLifetime != nil
    if isPinned { control = CacheControlHeader() }
    // The age of a pinned response is that of our copy.
    age = isPinned ? max(0, now - stored.received) : stored.age(at: now)
    alwaysRevalidates = control.noCache == .everything
    let isRefusedByShared = policy.mode == .shared && (control.proxyRevalidate || control.sharedMaxAge != nil)
    neverStale = !isPositive || alwaysRevalidates || control.mustRevalidate || isRefusedByShared
    isImmutable = control.isImmutable && policy.honorsImmutable
    let whileRevalidating = control.staleWhileRevalidate ?? DeltaSeconds.of(policy.staleWhileRevalidate)
    staleWhileRevalidate = neverStale ? 0 : whileRevalidating
    staleIfError = neverStale ? 0 : control.staleIfError ?? DeltaSeconds.of(policy.staleIfError)
  }

  var isFresh: Bool { age < lifetime }
  /// Seconds since it became stale; also 0 in the second in which it does.
  var staleness: Int { max(0, age - lifetime) }

  /// Whether it is young enough for a request. An `immutable` response is, while it is fresh (RFC 8246 §2): only `no-cache`
  /// in a request, as in a forced reload, has it revalidated earlier (RFC 8246 §2.1).
  func isYoungEnough(for wants: CacheControlHeader) -> Bool {
    guard let maxAge = wants.maxAge else { return true }
    return age <= maxAge || (isImmutable && isFresh)
  }
}
