extension Prefetch {
  /// The outcome of one prefetched request. Each request has exactly one.
  public enum Outcome: Sendable {
    /// The image was loaded, or made from an entry on disk; with the number of encoded bytes, if known.
    case loaded(byteCount: Int?)
    /// The image was cached already.
    case skipped
    /// The image could not be loaded.
    case failed(any Error)
    /// The prefetch was cancelled.
    case cancelled
  }
}
