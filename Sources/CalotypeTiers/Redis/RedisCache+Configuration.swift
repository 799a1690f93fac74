extension RedisCache {
  /// The settings of a cache.
  public struct Configuration: Hashable, Sendable {
    /// The longest time that a record is kept.
    public var lifetime = Duration.seconds(3_600)
    /// The largest record, with its metadata; bytes.
    public var recordLimit = 64 << 10
    /// The time that a read may take.
    public var readTimeout = Duration.milliseconds(20)

    /// The default settings.
    public init() {}
  }

  /// The activity of a ``RedisCache``.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Reads that returned a record.
    public var hits = 0
    /// Reads that found none, damaged and expired ones included.
    public var misses = 0
    /// Reads that failed, or missed their time: they returned `nil`.
    public var failedReads = 0
    /// Reads that were not sent, because there was no connection.
    public var skippedReads = 0
    /// Bytes of records that were read.
    public var bytesRead = 0
    /// Records that were written.
    public var stored = 0
    /// Bytes of records that were written.
    public var bytesWritten = 0
    /// Writes that Redis refused, or did not confirm in time.
    public var failedWrites = 0
    /// Writes that were not sent, because there was no connection, or too many commands waited.
    public var dropped = 0
    /// Records that were not stored, because they are too large or private.
    public var unshared = 0
  }
}
