extension ImageRequest {
  /// The caches that a request may read and write, and the conditions under which their entries are
  /// acceptable.
  public enum CachePolicy: String, Hashable, Sendable, CaseIterable {
    /// Follow HTTP: use fresh entries, revalidate stale ones, and use stale data where the response, the
    /// request or ``ImagePipeline/Configuration/freshness`` permit it. Sources without HTTP are treated as
    /// with ``ignoreHTTPFreshness``.
    case http
    /// Use cached entries until they expire by the age limits of the caches, regardless of HTTP freshness.
    case ignoreHTTPFreshness
    /// Always ask the loader, and store the result.
    case reload
    /// Deliver a cached entry at once, regardless of age; if it is stale, revalidate it afterwards, for the
    /// next request.
    case staleWhileRevalidate
    /// Never ask the loader; accept cached entries regardless of age.
    case cacheOnly
    /// Ask the loader, without reading or writing the caches.
    case loaderOnly

    var readsCaches: Bool {
      switch self {
      case .reload, .loaderOnly: false
      case .http, .ignoreHTTPFreshness, .staleWhileRevalidate, .cacheOnly: true
      }
    }
    var writesCaches: Bool { self != .loaderOnly }

    /// Whether cached entries may be used regardless of staleness.
    var trustsAge: Bool { self == .ignoreHTTPFreshness || self == .cacheOnly }
  }
}
