extension Prefetch {
  /// What became of one request that was prefetched. Each has exactly one.
  public enum Outcome: Sendable {
    /// It was loaded, or made of what was on disk; of so many encoded bytes, where they are known.
    case loaded(byteCount: Int?)
    /// There was nothing to do: it was cached already.
    case skipped
    /// It could not be had.
    case failed(any Error)
    /// It was given up.
    case cancelled
  }
}
