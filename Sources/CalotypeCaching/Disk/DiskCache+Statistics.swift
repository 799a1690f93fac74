extension DiskCache {
  /// What a ``DiskCache`` holds and did.
  public struct Statistics: Hashable, Sendable {
    /// Length of all records, headers included.
    public var bytes = 0
    /// Number of records.
    public var count = 0
    /// Bytes that were handed over and are not written yet.
    public var stagedBytes = 0
    /// Most bytes the cache keeps.
    public var byteLimit = 0
    /// Most records the cache keeps.
    public var countLimit = 0
    /// Reads that found a record.
    public var hits = 0
    /// Reads that found none; expired and damaged records are among them.
    public var misses = 0
    /// Records that reads and trims found too old.
    public var expired = 0
    /// Records that reads found damaged and removed.
    public var damaged = 0
    /// Records that were removed to stay under a limit.
    public var evictions = 0
    /// Records stored.
    public var stores = 0
    /// Stores that were refused at once because the folder could not be locked.
    public var refused = 0
    /// Whether stores are refused now, but for one now and then.
    public var isCircuitOpen = false
    /// Reads that the file system did not answer in time, and those that were refused at once because it answered nobody.
    public var stalledReads = 0
    /// Whether reads of what is not in memory are refused now, but for one now and then.
    public var isReadCircuitOpen = false
    /// Times that the folder had to be listed because its index was damaged or not there.
    public var rebuilds = 0
    /// Operations that failed with an error.
    public var failures = 0
    /// The latest of those errors: upkeep after a store has nobody else to tell.
    public var lastFailure: CachingError?
  }
}
