extension BucketCache {
  /// The activity of a ``BucketCache``.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Whether requests are sent.
    public enum Breaker: String, Hashable, Codable, Sendable {
      /// All are.
      case closed
      /// None is for a while, because the last ones failed.
      case open
      /// One request finds out whether the bucket answers again.
      case halfOpen
    }

    /// Reads that returned a record, those of records in the queue included.
    public var hits = 0
    /// Reads that found none, damaged and expired ones included.
    public var misses = 0
    /// Objects that were no record of their key: read as misses, and deleted.
    public var corrupted = 0
    /// Records that were read after their end.
    public var expired = 0
    /// Reads that failed, or missed their deadline: they returned `nil`.
    public var failedReads = 0
    /// Reads that were not sent, because the breaker was open.
    public var skippedReads = 0
    /// Bytes of records that were read.
    public var bytesRead = 0
    /// Records that were written.
    public var stored = 0
    /// Bytes of records that were written.
    public var bytesWritten = 0
    /// Objects that were deleted.
    public var deleted = 0
    /// Records that may not be shared: private ones, parts, and those that are too long.
    public var unshared = 0
    /// Records that were not shared because they are cheap to make.
    public var cheap = 0
    /// Records that were written again, because the end of their lifetime was near.
    public var renewed = 0
    /// Writes that were dropped, because the queue was full or closed.
    public var dropped = 0
    /// Writes that were given up after all tries.
    public var failedWrites = 0
    /// Tries of writes after the first.
    public var retries = 0
    /// Writes that wait or are in progress.
    public var queued = 0
    /// Their bytes.
    public var queuedBytes = 0
    /// The present limit on writes at a time.
    public var writeLimit = 0
    /// Whether requests are sent.
    public var breaker = Breaker.closed
    /// Seconds that the server's clock is ahead.
    public var clockOffset = 0
    /// The latest failure of a read or a write.
    public var lastFailure: BucketError?
  }
}
