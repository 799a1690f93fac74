public import FoundationEssentials

/// The metadata of a record. Its encoded size is at most 64 KiB.
public struct RecordMetadata: Hashable, Codable, Sendable {
  /// Media type of the data, as the server declared it.
  public var contentType: String?
  /// When the record expires, regardless of reads; `nil` leaves expiry to the age limit of the cache.
  public var expires: Date?
  /// The response that delivered or last confirmed the data, from which ``FreshnessPolicy`` computes freshness. At most
  /// 32 KiB.
  public var response: StoredResponse?
  /// Tags by which records are removed together: ``CacheSelection/tag(_:)``. Their order is kept.
  public var tags: [String]
  /// Additional values of the user of the cache.
  public var user: [String: String]
  /// The position of the shared log of purges (``PurgeLogging/position``) when the origin was asked; `nil` without such a
  /// log.
  public var position: Int?
  /// The time that making the data took: decoding, transforms and encoding. `nil` for data that was loaded, and where it is not
  /// known. A shared cache may leave out records that are cheap to make. Stored with a resolution of a microsecond.
  public var cost: Duration?

  /// Creates metadata.
  public init(
    contentType: String? = nil, expires: Date? = nil, response: StoredResponse? = nil, tags: [String] = [],
    user: [String: String] = [:], position: Int? = nil, cost: Duration? = nil
  ) {
    self.contentType = contentType
    self.expires = expires
    self.response = response
    self.tags = tags
    self.user = user
    self.position = position
    self.cost = cost
  }
}
