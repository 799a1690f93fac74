public import FoundationEssentials
public import HTTPTypes

extension LoadRequest {
  /// The validators of one version of a resource (RFC 9110 §8.8).
  ///
  /// ```swift
  /// var again = request
  /// again.validators = response.validators
  /// if try await loader.load(again).isNotModified { … }   // our version is still current
  /// ```
  public struct Validators: Hashable, Sendable {
    /// The `ETag` with its quotes, and `W/` if it is weak.
    public var etag: String?
    /// The `Last-Modified`, as the server wrote it.
    public var lastModified: String?
    /// The URL of the resource if redirects led to it; `nil` for that of the request. They are sent to no other URL.
    public var url: URL?
    /// Whether the response of ``url`` is still fresh: a transfer that is redirected there ends without a request, as
    /// after a 304 without header fields.
    public var isFresh = false

    /// Creates validators from values as a server sent them.
    public init(etag: String? = nil, lastModified: String? = nil, url: URL? = nil) {
      self.etag = etag
      self.lastModified = lastModified
      self.url = url
    }

    /// Reads the validators of a response; `nil` if it has none.
    public init?(_ headers: HTTPFields) {
      self.init(etag: headers[.eTag], lastModified: headers[.lastModified])
      if isEmpty { return nil }
    }

    /// Whether there is neither `ETag` nor `Last-Modified`.
    public var isEmpty: Bool { etag == nil && lastModified == nil }

    /// The validator for `If-Range`: a strong `ETag`, which promises equal bytes. A date of whole seconds and a weak
    /// `ETag` do not.
    var strong: String? {
      guard let etag, etag.utf8.first == UInt8(ascii: "\""), etag.utf8.count > 2 else { return nil }
      return etag
    }
  }
}
