/// Intercepts requests and responses: rewrites either, or forbids the load.
///
/// For example, to fetch a token first, and to accept a 404 that carries a placeholder:
///
/// ```swift
/// struct Authorizing: LoadIntercepting {
///   let tokens: TokenStore
///   var identity: String { "user \(tokens.user)" }
///
///   func request(_ request: LoadRequest) async throws -> LoadRequest {
///     guard request.source.url?.host() == "images.example.org" else { return request }
///     var request = request
///     request.credential = .bearer(try await tokens.current())
///     return request
///   }
/// }
///
/// struct TakingPlaceholders: LoadIntercepting {
///   let identity = "placeholders"
///
///   func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
///     guard response.status == 404, response.contentType == "image/png" else { return response }
///     var response = response
///     response.status = 200
///     return response
///   }
/// }
/// ```
///
/// Requests go through interceptors from the first to the last, responses from the last to the first, so that the first
/// one sees the caller's request and response. Both methods are called for each request that is sent, including retries
/// and resumptions, in the caller's isolation, and are cancelled with the load. By default they change nothing.
///
/// Errors other than ``LoadingError`` and `CancellationError` become ``LoadingError/vetoed(_:reason:)`` with their
/// description, which appears in logs: keep secrets out of it.
public protocol LoadIntercepting: Sendable {
  /// Identifies the changes that affect the delivered bytes: a credential by its digest
  /// (``LoadRequest/Credential/digest``), another host, an additional accepted status. Empty for an interceptor that
  /// does not affect the bytes, such as one that adds tracing fields.
  ///
  /// It is part of cache keys: bytes that were loaded through an interceptor are found only through one with the same
  /// identity. Read once for each loader.
  var identity: String { get }

  /// Returns the request to send instead of `request`.
  ///
  /// - Throws: ``LoadingError/vetoed(_:reason:)`` or any other error, to forbid the load. Nothing is sent then.
  func request(_ request: LoadRequest) async throws -> LoadRequest

  /// Returns the response to use instead of `response`; `request` is the request as it was sent.
  ///
  /// Every HTTP response is passed here with its body unread, regardless of its status. If ``LoadRequest/statuses``
  /// does not accept the status after all interceptors, the load fails with
  /// ``LoadingError/httpStatus(_:status:headers:redirects:)``. An interceptor that replaces the body must also replace
  /// ``LoadResponse/expectedLength`` and remove `ETag`, so that a resumption does not mix different bytes.
  ///
  /// - Throws: ``LoadingError/vetoed(_:reason:)`` or any other error, to reject the response. Its body is dropped.
  func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse
}

extension LoadIntercepting {
  /// Returns the request unchanged, and throws nothing.
  public func request(_ request: LoadRequest) async throws -> LoadRequest { request }

  /// Returns the response unchanged, and throws nothing.
  public func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
    response
  }
}
