extension DiskCache {
  /// The contents and the activity of a ``DiskCache``.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Length of all records, headers included. Shared payloads count for each of their records.
    public var bytes = 0
    /// Number of records.
    public var count = 0
    /// Bytes that were handed over and are not written yet.
    public var stagedBytes = 0
    /// The byte limit.
    public var byteLimit = 0
    /// The count limit.
    public var countLimit = 0
    /// Reads that found a record.
    public var hits = 0
    /// Reads that found none, expired and damaged records included.
    public var misses = 0
    /// Records that reads and trims found expired.
    public var expired = 0
    /// Records that reads found damaged and removed.
    public var damaged = 0
    /// Records that were removed to stay under a limit.
    public var evictions = 0
    /// Records that were stored.
    public var stores = 0
    /// Those of them whose payload was on disk already, and was not written again.
    public var sharedStores = 0
    /// Stores that were refused at once because the folder could not be locked.
    public var refused = 0
    /// Stores that failed because they would have left too little free space: ``Configuration/freeSpaceFloor``.
    public var belowFreeSpaceFloor = 0
    /// Whether stores are refused now, except for occasional probes.
    public var isCircuitOpen = false
    /// Reads that timed out, and reads that were refused at once while the file system was stalled.
    public var stalledReads = 0
    /// Whether reads of files outside the page cache are refused now, except for occasional probes.
    public var isReadCircuitOpen = false
    /// How often the folder had to be listed because its index was damaged or missing.
    public var rebuilds = 0
    /// Operations that failed with an error.
    public var failures = 0
    /// The latest of those errors. Upkeep after a store can report its errors only here.
    public var lastFailure: CachingError?
  }
}
