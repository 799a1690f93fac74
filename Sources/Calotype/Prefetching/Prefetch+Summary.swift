extension Prefetch {
  /// What became of all requests of a ``Prefetch``, as they were handed over, in the order in which they ended.
  public struct Summary: Sendable {
    /// A request that could not be had.
    public struct Failure: Sendable {
      /// The request.
      public let request: ImageRequest
      /// `LoadingError`, `ImagingError` or ``PipelineError``.
      public let error: any Error
    }

    /// Loaded, or made of what was on disk.
    public internal(set) var loaded: [ImageRequest] = []
    /// Cached already.
    public internal(set) var skipped: [ImageRequest] = []
    /// Could not be had.
    public internal(set) var failed: [Failure] = []
    /// Given up.
    public internal(set) var cancelled: [ImageRequest] = []
  }
}
