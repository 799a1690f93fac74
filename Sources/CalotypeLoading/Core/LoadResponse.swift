public import FoundationEssentials
public import HTTPTypes

/// The head of a response, and its body as a stream.
public struct LoadResponse: Sendable {
  /// The URL the body comes from: after redirects, for HTTP.
  ///
  /// Bytes at hand (``ImageSource/data(_:id:)``) have no URL; theirs is `calotype-data:`.
  public var url: URL
  /// The HTTP status: one of those that ``LoadRequest/statuses`` lets through, or 304 for a conditional request. `nil` for
  /// other sources.
  public var status: Int?
  /// The header fields of the final response; empty for sources that have none.
  public var headers: HTTPFields
  /// The answers that led here, in their order.
  public var redirects: [LoadResponse.Redirect] = []
  /// Length of the body in bytes, if it was declared. Believe ``body``, not this.
  public var expectedLength: Int?
  /// The declared media type with its parameters, e.g. `image/jpeg`. Believe the bytes, not this.
  public var contentType: String?
  /// The bytes, for one consumer. Dropping it unread closes the transfer.
  public var body: LoadBody

  /// Puts a response together; for loaders.
  public init(
    url: URL, status: Int? = nil, headers: HTTPFields = HTTPFields(), expectedLength: Int? = nil,
    contentType: String? = nil, body: LoadBody
  ) {
    self.url = url
    self.status = status
    self.headers = headers
    self.expectedLength = expectedLength
    self.contentType = contentType
    self.body = body
  }

  /// Whether the server says that what the caller holds is still right: there are no bytes.
  public var isNotModified: Bool { status == 304 }

  /// What to send with the next request for the same source, to be told whether it has changed.
  public var validators: LoadRequest.Validators? {
    var validators = LoadRequest.Validators(headers)
    if !redirects.isEmpty { validators?.url = url }
    return validators
  }

  /// What the load took, once the body has come to its end.
  public var metrics: LoadMetrics? { body.metrics }
}
