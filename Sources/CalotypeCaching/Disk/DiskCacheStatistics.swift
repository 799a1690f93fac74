/// What a ``DiskCache`` holds and did.
public struct DiskCacheStatistics: Hashable, Sendable {
  /// Length of all records, headers included: the last scan of the folder plus what this cache did since.
  public var bytes = 0
  /// Number of records, likewise.
  public var count = 0
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
  /// Reads, stores and trims that failed with an error.
  public var failures = 0
  /// The latest of those errors: a trim that follows a store has nobody else to tell.
  public var lastFailure: CachingError?
}
