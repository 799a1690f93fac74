public import FoundationEssentials
public import HTTPTypes

/// A failed load. Cancellation is not among the cases: it throws `CancellationError`.
@nonexhaustive public enum LoadingError: Error, Hashable, Sendable {
  /// The URL is unusable.
  case invalidURL(URL, reason: String)
  /// No loader accepts the source.
  case unsupportedScheme(ImageSource)
  /// The name of the host, or of the proxy, has no address.
  case hostNotFound(URL, host: String)
  /// The connection failed, or broke before the response began.
  case connectionFailed(URL, reason: String)
  /// A deadline of ``LoadRequest/Timeouts`` passed.
  case timedOut(URL, phase: LoadRequest.Timeouts.Phase, after: Duration)
  /// The TLS handshake or the verification of the certificate failed.
  case tls(URL, reason: String)
  /// The server answered with a status that is not accepted. `headers` are those of that response, `redirects` those
  /// that led to it.
  case httpStatus(URL, status: Int, headers: HTTPFields, redirects: [LoadResponse.Redirect] = [])
  /// More redirects than the loader follows.
  case tooManyRedirects(URL, limit: Int)
  /// A redirect leads to a forbidden target, such as a `file:` URL, or from `https` to `http`.
  case redirectRefused(URL, reason: String)
  /// The loader's ``AddressPolicy`` forbids the URL, or an address of its host or of a redirect's host (SSRF). `reason`
  /// may reveal addresses of an internal network: it is for logs, and `description` omits it.
  case addressRefused(URL, reason: String)
  /// The response violates its protocol.
  case protocolError(URL, reason: String)
  /// The body is larger than ``LoadRequest/byteLimit``; `declared` is the announced length.
  case tooLarge(ImageSource, limit: Int, declared: Int?)
  /// The body ended early; lengths in bytes.
  case truncatedBody(URL, received: Int, expected: Int?)
  /// The response has no bytes.
  case emptyBody(ImageSource)
  /// The body broke off, and the server no longer sends the same version.
  case contentChanged(URL, received: Int)
  /// The loader does not accept the declared media type.
  case unacceptableContentType(URL, type: String?, accepted: [String])
  /// An interceptor forbids the load.
  case vetoed(URL, reason: String)
  /// A ``BodyTransforming`` could not read the body.
  case bodyTransformFailed(URL, transform: String, reason: String)
  /// The source failed recently with an error of that `code`, and is not tried again yet.
  case recentlyFailed(ImageSource, code: String, retryAfter: Duration)
  /// The circuit breaker of the host is open, because the last requests to it failed.
  case hostSuspended(URL, host: String, retryAfter: Duration)
  /// The file does not exist.
  case fileNotFound(URL)
  /// The file cannot be opened or read.
  case fileUnreadable(URL, reason: String)
  /// The file cannot be created or written.
  case fileUnwritable(URL, reason: String)
  /// The path is a folder, FIFO, socket or device instead of a file.
  case notRegularFile(URL, kind: String)
  /// The file lies outside the folders the loader is confined to.
  case outsideRoots(URL)
  /// The `data:` URL is malformed.
  case invalidDataURL(URL, reason: String)
  /// The sequence of a ``ByteStream`` failed, or ended before the length that it declared; or the closure of a
  /// ``DataProvider`` failed.
  case sourceFailed(ImageSource, reason: String)
  /// The queue is full: `limit` transfers are waiting already, in all or for the same host.
  case queueFull(URL, limit: Int)
  /// The loader was shut down before or during the transfer.
  case loaderClosed(URL)
  /// A second consumer asked for the bytes of a ``LoadBody`` or a ``ByteStream``.
  case bodyAlreadyConsumed

  /// A stable name for logs, metrics and machine-readable output.
  public var code: String {
    switch self {
    case .invalidURL: "invalidURL"
    case .unsupportedScheme: "unsupportedScheme"
    case .hostNotFound: "hostNotFound"
    case .connectionFailed: "connectionFailed"
    case .timedOut: "timedOut"
    case .tls: "tls"
    case .httpStatus: "httpStatus"
    case .tooManyRedirects: "tooManyRedirects"
    case .redirectRefused: "redirectRefused"
    case .protocolError: "protocolError"
    case .tooLarge: "tooLarge"
    case .truncatedBody: "truncatedBody"
    case .addressRefused: "addressRefused"
    case .emptyBody: "emptyBody"
    case .contentChanged: "contentChanged"
    case .unacceptableContentType: "unacceptableContentType"
    case .vetoed: "vetoed"
    case .bodyTransformFailed: "bodyTransformFailed"
    case .recentlyFailed: "recentlyFailed"
    case .hostSuspended: "hostSuspended"
    case .fileUnwritable: "fileUnwritable"
    case .fileNotFound: "fileNotFound"
    case .fileUnreadable: "fileUnreadable"
    case .notRegularFile: "notRegularFile"
    case .outsideRoots: "outsideRoots"
    case .invalidDataURL: "invalidDataURL"
    case .sourceFailed: "sourceFailed"
    case .queueFull: "queueFull"
    case .loaderClosed: "loaderClosed"
    case .bodyAlreadyConsumed: "bodyAlreadyConsumed"
    }
  }

  /// Whether the same request may succeed later without changes.
  ///
  /// True for lost connections, passed deadlines, unknown hosts, truncated or changed bodies, a full queue, an open
  /// circuit breaker, and the statuses 408, 425, 429, 500, 502, 503 and 504.
  public var isRetryable: Bool {
    switch self {
    case .hostNotFound, .connectionFailed, .timedOut, .truncatedBody, .contentChanged, .queueFull,
      .hostSuspended:
      true
    case .httpStatus(_, let status, _, _): Self.isRetryable(status: status)
    default: false
    }
  }

  /// Whether the same request may succeed later after a response of this status.
  static func isRetryable(status: Int) -> Bool { [408, 425, 429, 500, 502, 503, 504].contains(status) }

  /// The time to wait before the same request is worth a retry, in whole seconds, rounded up; `nil` if the error does not
  /// know it.
  ///
  /// The memory of failures and an open circuit breaker know it, and so does a response with a retryable status and a
  /// `Retry-After`; that time counts from the arrival of the response. After a load that waited in vain, it is the time
  /// that it waited, from 1 to 120 seconds.
  public var retryAfter: Duration? {
    switch self {
    case .recentlyFailed(_, _, let wait), .hostSuspended(_, _, let wait):
      .seconds(wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    case .timedOut(_, .queue, let wait): .seconds(min(max(1, wait.components.seconds), 120))
    case .httpStatus(_, _, let headers, _) where isRetryable: RetryAfter.delay(in: headers, now: Date())
    default: nil
    }
  }

  /// The HTTP status for a server to answer with after this failure, as a gateway.
  ///
  /// 404 for a missing image (404 and 410 upstream, no such file), 400 for unusable URLs and for interrupted streams,
  /// 403 for URLs that a policy refuses, 413 for too many bytes, 415 for a wrong type, 504 for all passed deadlines of
  /// transfers, 503 when this process is overloaded, a deadline that passed in a queue included, 500 when local files fail, and 502 for all other failures of the upstream
  /// server.
  public var gatewayStatus: Int {
    switch self {
    case .httpStatus(_, 404, _, _), .httpStatus(_, 410, _, _), .fileNotFound: 404
    // A provider is an upstream server; a stream is what a client sends.
    case .sourceFailed(.provider, _): 502
    case .invalidURL, .unsupportedScheme, .invalidDataURL, .notRegularFile, .sourceFailed: 400
    case .addressRefused, .redirectRefused, .vetoed, .outsideRoots: 403
    case .tooLarge, .recentlyFailed(_, "tooLarge", _): 413
    case .unacceptableContentType, .recentlyFailed(_, "unacceptableContentType", _): 415
    // Only statuses that report a missing resource are remembered.
    case .recentlyFailed(_, "httpStatus", _): 404
    case .queueFull, .loaderClosed, .hostSuspended, .timedOut(_, .queue, _): 503
    case .timedOut, .httpStatus(_, 504, _, _): 504
    case .fileUnreadable, .fileUnwritable, .bodyAlreadyConsumed: 500
    case .hostNotFound, .connectionFailed, .tls, .httpStatus, .tooManyRedirects, .protocolError,
      .truncatedBody,
      .emptyBody, .contentChanged, .bodyTransformFailed, .recentlyFailed:
      502
    }
  }

  /// The source that could not be loaded; `nil` for ``bodyAlreadyConsumed``.
  public var source: ImageSource? {
    switch self {
    case .invalidURL(let url, _), .hostNotFound(let url, _), .connectionFailed(let url, _),
      .timedOut(let url, _, _), .tls(let url, _), .httpStatus(let url, _, _, _),
      .tooManyRedirects(let url, _),
      .redirectRefused(let url, _), .protocolError(let url, _), .truncatedBody(let url, _, _),
      .fileNotFound(let url), .fileUnreadable(let url, _), .notRegularFile(let url, _),
      .outsideRoots(let url), .invalidDataURL(let url, _), .queueFull(let url, _), .loaderClosed(let url),
      .addressRefused(let url, _), .contentChanged(let url, _), .unacceptableContentType(let url, _, _),
      .vetoed(let url, _), .bodyTransformFailed(let url, _, _), .hostSuspended(let url, _, _),
      .fileUnwritable(let url, _):
      .url(url)
    case .unsupportedScheme(let source), .tooLarge(let source, _, _), .emptyBody(let source),
      .recentlyFailed(let source, _, _), .sourceFailed(let source, _):
      source
    case .bodyAlreadyConsumed:
      nil
    }
  }
}
