import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

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
