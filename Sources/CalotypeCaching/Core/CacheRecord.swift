import CalotypeSupport
public import FoundationEssentials

/// A record that was read from a cache. Its bytes are exactly those that were stored; ``DiskCache`` verifies a
/// checksum.
public struct CacheRecord: Hashable, Sendable {
  /// The data; indices start at zero.
  public let data: Data
  /// The metadata stored with the data.
  public let metadata: RecordMetadata
  /// When the record was stored, exact to microseconds; when its key was first stored, in a cache with
  /// ``DiskCache/Configuration/AgeOrigin/firstStore``.
  public let created: Date
  /// When the record was last stored, or read before this read; exact to ``DiskCache/Configuration/touchInterval``.
  public let accessed: Date

  /// Creates a record.
  public init(data: Data, metadata: RecordMetadata, created: Date, accessed: Date) {
    self.data = data
    self.metadata = metadata
    self.created = created
    self.accessed = accessed
  }
}
