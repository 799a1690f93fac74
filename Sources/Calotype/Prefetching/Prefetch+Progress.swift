extension Prefetch {
  /// The progress of a ``Prefetch``.
  public struct Progress: Sendable {
    /// The number of requests, equal ones counted once.
    public let total: Int
    /// The number of loaded requests.
    public internal(set) var loaded = 0
    /// The number of requests that were cached already.
    public internal(set) var skipped = 0
    /// The number of failed requests.
    public internal(set) var failed = 0
    /// The number of cancelled requests.
    public internal(set) var cancelled = 0
    /// The request that ended last, as passed to the prefetcher, and its outcome; `nil` before the first.
    public internal(set) var latest: (request: ImageRequest, outcome: Prefetch.Outcome)?

    init(total: Int) { self.total = total }

    /// The number of requests that have ended, with any outcome.
    public var finished: Int { loaded + skipped + failed + cancelled }
  }
}
