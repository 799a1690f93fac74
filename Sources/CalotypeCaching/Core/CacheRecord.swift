import CalotypeSupport
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

  /// Describes a record.
  public init(data: Data, metadata: RecordMetadata, created: Date, accessed: Date) {
    self.data = data
    self.metadata = metadata
    self.created = created
    self.accessed = accessed
  }
}
