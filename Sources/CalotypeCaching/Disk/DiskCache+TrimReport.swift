extension DiskCache {
  /// The result of a pass over the folder of a ``DiskCache``.
  public struct TrimReport: Hashable, Codable, Sendable {
    /// Remaining records.
    public var count = 0
    /// Their length, headers included.
    public var bytes = 0
    /// Records that were removed because they had expired.
    public var expired = 0
    /// Records that were removed to get under a limit, least recently used first.
    public var evicted = 0
    /// Length of all records that were removed.
    public var freedBytes = 0
    /// Temporary files that were removed because their writer is gone.
    public var staleTemporaries = 0
  }
}
