public import FoundationEssentials

extension DiskCache {
  /// A record in a listing: everything but its data.
  public struct Entry: Hashable, Codable, Sendable {
    /// The text of its key.
    public let key: String
    /// The source of its key: ``CacheKey/source``.
    public let source: String
    /// The metadata stored with the data.
    public let metadata: RecordMetadata
    /// Length of the data in bytes.
    public let dataLength: Int
    /// Length of the file in bytes: data and header. With a shared payload, that of both files.
    public let fileLength: Int
    /// When the record was stored.
    public let created: Date
    /// When the record was last read or stored; exact to ``DiskCache/Configuration/touchInterval``.
    public let accessed: Date
    /// The path of its file.
    public let path: String
  }
}
