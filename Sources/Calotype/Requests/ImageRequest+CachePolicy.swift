extension ImageRequest {
  /// Which caches a request may read and write, and what makes what they hold good enough.
  public enum CachePolicy: String, Hashable, Sendable, CaseIterable {
    /// As HTTP says: use what is fresh, ask the server about what is stale, and use stale data where the response, the
    /// request or ``ImagePipeline/Configuration/freshness`` allow it. Sources without HTTP are as with ``ignoreHTTPFreshness``.
    case http
    /// Trust what is cached until it expires by the age limits of the caches, whatever the server said.
    case ignoreHTTPFreshness
    /// Ask the loader, whatever is cached; store the result.
    case reload
    /// Deliver what is cached at once, however old; if it is not fresh, ask the server afterwards, for the next request.
    case staleWhileRevalidate
    /// Never ask the loader; take what is cached, however old.
    case cacheOnly
    /// Ask the loader and leave the caches alone.
    case loaderOnly

    var readsCaches: Bool { self != .reload && self != .loaderOnly }
    var writesCaches: Bool { self != .loaderOnly }

    /// Whether what is cached may be used however stale it is.
    var trustsAge: Bool { self == .ignoreHTTPFreshness || self == .cacheOnly }
  }
}
