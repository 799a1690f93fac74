public import FoundationEssentials

/// What a ``DiskCache`` had under a key. The bytes are those that were stored: a checksum was verified.
public struct CacheRecord: Hashable, Sendable {
  /// The data; indices start at zero.
  public let data: Data
  /// What was stored beside them.
  public let metadata: RecordMetadata
  /// When the record was stored; microseconds.
  public let created: Date
  /// When the record was last read before this time, or stored; exact to ``DiskCache/Configuration/touchInterval``.
  public let accessed: Date
}
