public import FoundationEssentials
public import HTTPTypes

extension LoadRequest {
  /// What tells one version of a resource from another (RFC 9110 §8.8).
  ///
  /// ```swift
  /// var again = request
  /// again.validators = response.validators
  /// if try await loader.load(again).isNotModified { … }   // what we hold is still right
  /// ```
  public struct Validators: Hashable, Sendable {
    /// The `ETag` with its quotes, and `W/` if it is a weak one.
    public var etag: String?
    /// The `Last-Modified`, as the server wrote it.
    public var lastModified: String?
    /// The URL that they are about, where redirects led to it; `nil` for that of the request. They are sent to no other.
    public var url: URL?
    /// Whether the response of ``url`` is still fresh: a transfer that redirects lead there ends without asking it, as if
    /// it had answered 304 without header fields.
    public var isFresh = false

    /// LoadRequest.Validators as a server sent them.
    public init(etag: String? = nil, lastModified: String? = nil, url: URL? = nil) {
      self.etag = etag
      self.lastModified = lastModified
      self.url = url
    }

    /// Those of a response; `nil` if it has none.
    public init?(_ headers: HTTPFields) {
      self.init(etag: headers[.eTag], lastModified: headers[.lastModified])
      if isEmpty { return nil }
    }

    /// Whether there is neither `ETag` nor `Last-Modified`.
    public var isEmpty: Bool { etag == nil && lastModified == nil }

    /// What `If-Range` takes: a strong `ETag`, which promises the same bytes. A date of whole seconds does not, and a weak
    /// `ETag` only speaks of the same meaning.
    var strong: String? {
      guard let etag, etag.utf8.first == UInt8(ascii: "\""), etag.utf8.count > 2 else { return nil }
      return etag
    }
  }
}
