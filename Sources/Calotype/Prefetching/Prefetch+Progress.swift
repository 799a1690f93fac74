extension Prefetch {
  /// How far a ``Prefetch`` is.
  public struct Progress: Sendable {
    /// Requests, equal ones counted once.
    public let total: Int
    /// Those that were loaded.
    public internal(set) var loaded = 0
    /// Those that were cached already.
    public internal(set) var skipped = 0
    /// Those that could not be had.
    public internal(set) var failed = 0
    /// Those that were given up.
    public internal(set) var cancelled = 0
    /// The request that ended last, as it was handed over, and how; `nil` before the first.
    public internal(set) var latest: (request: ImageRequest, outcome: Prefetch.Outcome)?

    init(total: Int) { self.total = total }

    /// Those that have ended, however.
    public var finished: Int { loaded + skipped + failed + cancelled }
  }
}
