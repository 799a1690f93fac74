public import HTTPTypes

/// The response to a request that failed.
public struct FailureReply: Hashable, Sendable {
  /// The status.
  public let status: HTTPResponse.Status
  /// `Content-Type`, `X-Error-Code`, `Cache-Control` and `Retry-After`, as far as they apply.
  public let fields: HTTPFields
  /// The text.
  public let body: String
}
