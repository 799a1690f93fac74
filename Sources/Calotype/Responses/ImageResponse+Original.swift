public import CalotypeCaching
public import FoundationEssentials
public import HTTPTypes

extension ImageResponse {
  /// The original of an image as its server, or its loader, described it.
  ///
  /// It describes the response that delivered the bytes, or confirmed them since, also for images from a cache. For an
  /// image that the program stored itself, every property is empty.
  public struct Original: Hashable, Sendable {
    /// The URL of the bytes, after redirects, without user name and password; `nil` for sources without a URL. From a disk
    /// cache, the URL that redirects led to is without its query, which may hold a signature; and so is every URL if
    /// ``ImageRequest/keyPolicy`` leaves out parts of it, because the bytes may be those of another request.
    public let url: URL?
    /// The HTTP status; `nil` for sources other than HTTP.
    public let status: Int?
    /// The header fields about freshness and contents: `StoredResponse.keptNames`. Those of a redirected original from a
    /// disk cache are without validators, because these belong to another URL than the requested one.
    public let fields: HTTPFields
    /// The end of the freshness lifetime (RFC 9111 §4.2.1), which is in the past if the original is known to be stale;
    /// `nil` for no limit.
    public let freshUntil: Date?
    /// The time of the last change, as the server declares; `nil` if unknown.
    public let lastModified: Date?

    /// The validator of the bytes (RFC 9110 §8.8.3).
    public var entityTag: EntityTag? { fields[values: .eTag].first.flatMap(EntityTag.init) }
    /// The media type that the server declared. The bytes may be of another type.
    public var contentType: String? { fields[.contentType] }

    init(
      url: URL? = nil, status: Int? = nil, fields: HTTPFields = HTTPFields(), freshUntil: Date? = nil,
      lastModified: Date? = nil
    ) {
      (self.url, self.status, self.fields) = (url, status, fields)
      (self.freshUntil, self.lastModified) = (freshUntil, lastModified)
    }
  }
}
