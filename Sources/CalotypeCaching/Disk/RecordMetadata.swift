public import FoundationEssentials

/// What a record on disk says about its data. All of it together is at most 64 KiB.
public struct RecordMetadata: Hashable, Sendable {
  /// Media type of the data, as the server declared it.
  public var contentType: String?
  /// Validator: the `ETag` of the response, quotes included.
  public var etag: String?
  /// Validator: the `Last-Modified` of the response, as it was sent.
  public var lastModified: String?
  /// From then on the record is gone, however often it is read; `nil` leaves that to the age limit of the cache.
  public var expires: Date?
  /// Whatever the user of the cache wants to keep beside the data.
  public var user: [String: String]

  /// Describes data.
  public init(
    contentType: String? = nil, etag: String? = nil, lastModified: String? = nil, expires: Date? = nil,
    user: [String: String] = [:]
  ) {
    self.contentType = contentType
    self.etag = etag
    self.lastModified = lastModified
    self.expires = expires
    self.user = user
  }
}
