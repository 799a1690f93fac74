public import FoundationEssentials
public import HTTPTypes

/// The head of a response, and its body as a stream.
public struct LoadResponse: Sendable {
  /// The URL of the body; for HTTP, after redirects.
  ///
  /// Bytes in memory (``ImageSource/data(_:id:)``) have the URL `calotype-data:`.
  public var url: URL
  /// The HTTP status: one that ``LoadRequest/statuses`` accepts, or 304 for a conditional request. `nil` for other
  /// sources.
  public var status: Int?
  /// The header fields of the final response; empty for sources without any.
  public var headers: HTTPFields
  /// The redirects that led here, in order.
  public var redirects: [LoadResponse.Redirect] = []
  /// The declared length of the body in bytes. The actual length may differ.
  public var expectedLength: Int?
  /// The declared media type with its parameters, such as `image/jpeg`. The bytes may be of another type.
  public var contentType: String?
  /// The bytes, for one consumer. Releasing it unread closes the transfer.
  public var body: LoadBody

  /// Creates a response; for loaders.
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

  /// Whether the server answered 304: the caller's version is still current, and there are no bytes.
  public var isNotModified: Bool { status == 304 }

  /// The validators to send with the next request for the same source (revalidation).
  public var validators: LoadRequest.Validators? {
    var validators = LoadRequest.Validators(headers)
    if !redirects.isEmpty { validators?.url = url }
    return validators
  }

  /// The metrics of the load, after the end of the body.
  public var metrics: LoadResponse.Metrics? { body.metrics }
}
