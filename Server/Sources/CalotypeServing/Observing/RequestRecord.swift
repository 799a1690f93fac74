public import HTTPTypes

/// The facts about a request that logs have: neither its URL, which may be signed, nor any of its fields.
public struct RequestRecord: Hashable, Sendable {
  /// The `X-Request-ID`.
  public let requestID: String
  /// The trace that the client names; `nil` for none.
  public let traceID: String?
  /// The method.
  public let method: HTTPRequest.Method
  /// The status of the response.
  public let status: HTTPResponse.Status
  /// The time until the response was ready. The body of a stream is sent after it.
  public let duration: Duration
  /// The image; `nil` for other requests, and for URLs that cannot be read.
  public let subject: RequestSubject?
  /// The stable code of a failure; `nil` if there is none.
  public let errorCode: String?
  /// The cause of a failure, which names options and hosts; empty if there is none.
  public let errorDetail: String
  /// Whether it is a request of balancers or monitors: for health, readiness or metrics.
  public let isProbe: Bool
}
