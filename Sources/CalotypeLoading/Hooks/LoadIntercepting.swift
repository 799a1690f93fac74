/// Stands between a request and its answer: rewrites either, or forbids the load.
///
/// A token that has to be fetched first, and a 404 that is taken because the server sends a placeholder with it:
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
/// Requests go through interceptors from the first to the last, responses from the last to the first, so that the
/// first one sees what the caller asks and gets. Both methods are called for each request that is sent, retries and
/// requests for the rest of a body included, in the isolation of whoever loads, and are cancelled with it; by default
/// they change nothing.
///
/// Errors other than ``LoadingError`` and `CancellationError` become ``LoadingError/vetoed(_:reason:)`` with their
/// description, which ends up in logs: keep secrets out of it.
public protocol LoadIntercepting: Sendable {
  /// The name of the changes that decide which bytes come: a credential by its digest (``LoadRequest/Credential/digest``), another
  /// host, a status that is taken for an answer. Empty for an interceptor that decides nothing, such as one that adds
  /// the fields of a trace.
  ///
  /// It is part of the keys of caches: bytes that were loaded through an interceptor are found only through one of the
  /// same name. Asked once for each loader.
  var identity: String { get }

  /// The request to send instead of `request`.
  ///
  /// - Throws: ``LoadingError/vetoed(_:reason:)`` or any other error to forbid the load: nothing is sent then.
  func request(_ request: LoadRequest) async throws -> LoadRequest

  /// The response to use instead of `response`, the answer to `request` as it was sent.
  ///
  /// Every HTTP answer comes here with its body unread, whatever its status. One whose status
  /// ``LoadRequest/statuses`` does not let through after all interceptors is an error,
  /// ``LoadingError/httpStatus(_:status:headers:)``. Whoever replaces the body replaces ``LoadResponse/expectedLength``
  /// too, and takes `ETag` away, so that nobody asks for the rest of other bytes.
  ///
  /// - Throws: ``LoadingError/vetoed(_:reason:)`` or any other error to refuse the response: its body is dropped.
  func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse
}

extension LoadIntercepting {
  /// The request as it is.
  public func request(_ request: LoadRequest) async throws -> LoadRequest { request }

  /// The response as it is.
  public func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
    response
  }
}
