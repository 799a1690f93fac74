public import FoundationEssentials

/// What a record says about its data. All of it together is at most 64 KiB.
public struct RecordMetadata: Hashable, Codable, Sendable {
  /// Media type of the data, as the server declared it.
  public var contentType: String?
  /// From then on the record is gone, however often it is read; `nil` leaves that to the age limit of the cache.
  public var expires: Date?
  /// What the server said when it sent the data, or confirmed them: what ``FreshnessPolicy`` judges by. At most 32 KiB.
  public var response: StoredResponse?
  /// Names by which records are removed together: ``CacheSelection/tag(_:)``. Their order is kept.
  public var tags: [String]
  /// Whatever the user of the cache wants to keep beside the data.
  public var user: [String: String]

  /// Describes data.
  public init(
    contentType: String? = nil, expires: Date? = nil, response: StoredResponse? = nil, tags: [String] = [],
    user: [String: String] = [:]
  ) {
    self.contentType = contentType
    self.expires = expires
    self.response = response
    self.tags = tags
    self.user = user
  }
}
