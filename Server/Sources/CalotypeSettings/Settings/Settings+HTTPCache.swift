extension Settings {
  /// Freshness and validators of responses.
  public struct HTTPCache: Equatable, Sendable {
    /// How long results are fresh.
    public var lifetime = Duration.seconds(31_536_000)
    /// Whether the freshness of the source is that of the result.
    public var passesCacheControl = false
    /// How long the image in place of another is fresh; 0 for ``lifetime``.
    public var fallbackLifetime = Duration.zero
    /// How long the answer that there is no source is fresh.
    public var notFoundLifetime = Duration.seconds(60)
    /// How long a stale result may be sent while it is made anew.
    public var staleWhileRevalidate = Duration.seconds(60)
    /// Whether responses have an `ETag`.
    public var setsETag = true
    /// A text that is part of every `ETag`, so that another one invalidates them all.
    public var etagBuster = ""
    /// Whether responses have `Last-Modified`.
    public var setsLastModified = true
    /// The least `Last-Modified`, in seconds since 1970; `nil` for none.
    public var lastModifiedBuster: Int64?

    /// The defaults.
    public init() {}
  }
}
