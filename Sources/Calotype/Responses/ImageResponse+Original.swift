public import CalotypeCaching
import CalotypeSupport
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

    init(_ provenance: OriginalMetadata) {
      let response = provenance.unstored ?? provenance.response
      url = provenance.url
      status = response?.status
      fields = response?.fields ?? HTTPFields()
      freshUntil = provenance.isStale ? .distantPast : provenance.freshUntil
      lastModified = response?.modificationDate
    }
  }
}

extension RecordMetadata {
  private static let urlName = "url"
  /// The longest URL that is stored.
  private static let urlLimit = 4096

  /// The URL of the original after redirects, if it is another than that of the request.
  private(set) var finalURL: URL? {
    get { user[Self.urlName].flatMap { URL(string: $0) } }
    set {
      user[Self.urlName] = newValue.map(\.absoluteString).flatMap {
        $0.utf8.count <= Self.urlLimit ? $0 : nil
      }
    }
  }

  /// Stores the URL of the original, unless it is that of the request.
  mutating func setURL(_ url: URL?, for request: ImageRequest) {
    finalURL = url == request.source.url.map(request.shown) ? nil : url?.withoutQuery
  }

  /// Returns the URL of the original of a request.
  func url(for request: ImageRequest) -> URL? { finalURL ?? request.source.url.map(request.shown) }
}

extension URL {
  /// The URL without user name and password.
  var withoutUser: URL {
    let text = absoluteString
    let redacted = RedactedURL.withoutUsers(text, isOne: true)
    return redacted == text ? self : URL(string: redacted) ?? self
  }
}

extension ImageRequest {
  /// Returns the URL of an original as it is delivered with the image, which other requests may share.
  func shown(_ url: URL) -> URL {
    identity.keyPolicy.isOfWholeURL ? url.withoutUser : url.withoutUser.withoutQuery
  }
}

extension URL {
  /// The URL without its query.
  fileprivate var withoutQuery: URL {
    guard query() != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
      return self
    }
    parts.query = nil
    return parts.url ?? self
  }
}
