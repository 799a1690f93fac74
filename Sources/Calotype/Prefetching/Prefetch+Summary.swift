extension Prefetch {
  /// The outcomes of all requests of a ``Prefetch``, as passed to the prefetcher, in the order in which
  /// they ended.
  public struct Summary: Sendable {
    /// A failed request.
    public struct Failure: Sendable {
      /// The request.
      public let request: ImageRequest
      /// `LoadingError`, `ImagingError` or ``PipelineError``.
      public let error: any Error
    }

    /// The requests that were loaded, or made from entries on disk.
    public internal(set) var loaded: [ImageRequest] = []
    /// The requests that were cached already.
    public internal(set) var skipped: [ImageRequest] = []
    /// The requests that failed.
    public internal(set) var failed: [Failure] = []
    /// The requests that were cancelled.
    public internal(set) var cancelled: [ImageRequest] = []
  }
}
