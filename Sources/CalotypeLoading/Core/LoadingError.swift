public import FoundationEssentials
public import HTTPTypes

/// Why bytes could not be loaded. Cancellation is not among them: it is `CancellationError`.
public enum LoadingError: Error, Hashable, Sendable {
  /// The URL cannot be used as it is.
  case invalidURL(URL, reason: String)
  /// No loader accepts the source.
  case unsupportedScheme(ImageSource)
  /// The name of the host, or of the proxy, has no address.
  case hostNotFound(URL, host: String)
  /// No connection, or it broke before the response began.
  case connectionFailed(URL, reason: String)
  /// A deadline of ``LoadTimeouts`` passed.
  case timedOut(URL, phase: LoadTimeouts.Phase, after: Duration)
  /// The TLS handshake or the verification of the certificate failed.
  case tls(URL, reason: String)
  /// The server answered with something else than 2xx or 304. `headers` are those of that answer, `redirects` the answers
  /// that led to it from the URL.
  case httpStatus(URL, status: Int, headers: HTTPFields, redirects: [LoadResponse.Redirect] = [])
  /// More redirects than the loader follows.
  case tooManyRedirects(URL, limit: Int)
  /// A redirect leads to where the loader does not go, e.g. to a `file:` URL, or from `https` to `http`.
  case redirectRefused(URL, reason: String)
  /// The loader's ``AddressPolicy`` forbids the URL, or the address that its host, or one it redirects to, turned out
  /// to have. `reason` tells which, and with it what names of an internal network stand for: it is for logs, and
  /// `description` leaves it out.
  case addressRefused(URL, reason: String)
  /// The response breaks the rules of its protocol.
  case protocolError(URL, reason: String)
  /// The body is larger than ``LoadRequest/byteLimit``; `declared` is the length it announced.
  case tooLarge(ImageSource, limit: Int, declared: Int?)
  /// The body ended early; lengths in bytes.
  case truncatedBody(URL, received: Int, expected: Int?)
  /// A response without bytes.
  case emptyBody(ImageSource)
  /// The body broke off, and what the server sends now is not the rest of it.
  case contentChanged(URL, received: Int)
  /// The declared media type is not among those the loader accepts.
  case unacceptableContentType(URL, type: String?, accepted: [String])
  /// An interceptor forbids the load.
  case vetoed(URL, reason: String)
  /// A ``BodyTransforming`` could not make sense of the body.
  case bodyTransformFailed(URL, transform: String, reason: String)
  /// The source failed a short while ago with an error of that `code`, and is not asked again so soon.
  case recentlyFailed(ImageSource, code: String, retryAfter: Duration)
  /// Nothing is asked of the host for a while, because the last requests to it failed.
  case hostSuspended(URL, host: String, retryAfter: Duration)
  /// There is no such file.
  case fileNotFound(URL)
  /// The system refuses to open or read the file.
  case fileUnreadable(URL, reason: String)
  /// The system refuses to create or write the file.
  case fileUnwritable(URL, reason: String)
  /// A folder, FIFO, socket or device instead of a file.
  case notRegularFile(URL, kind: String)
  /// The file lies outside the folders the loader is confined to.
  case outsideRoots(URL)
  /// Not a well-formed `data:` URL.
  case invalidDataURL(URL, reason: String)
  /// The sequence of a ``ByteStream`` failed, or ended before the length that it declared.
  case sourceFailed(ImageSource, reason: String)
  /// Too many transfers wait already: `limit` of them, in all or for the same host.
  case queueFull(URL, limit: Int)
  /// The loader was shut down before or during the transfer.
  case loaderClosed(URL)
  /// A second consumer asked for the bytes of a ``LoadBody`` or a ``ByteStream``.
  case bodyAlreadyConsumed

  /// A stable name for machines.
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

  /// Whether the same request can succeed later without anyone changing it.
  ///
  /// True for lost connections, passed deadlines, unknown hosts, truncated or changed bodies, a full queue, a host
  /// that is left alone for a while, and the statuses 408, 425, 429, 500, 502, 503 and 504.
  public var isRetryable: Bool {
    switch self {
    case .hostNotFound, .connectionFailed, .timedOut, .truncatedBody, .contentChanged, .queueFull,
      .hostSuspended:
      true
    case .httpStatus(_, let status, _, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
    default: false
    }
  }

  /// The HTTP status that a server should answer with when it needed the source to answer somebody else.
  ///
  /// 404 when there is no such image (404 and 410 upstream, no such file), 400 for URLs that cannot be or may not be
  /// loaded and for streams that break off, 413 for too many bytes, 415 for a wrong type, 504 for passed deadlines
  /// and never anything else for them, 503 when we are the ones who are busy, 500 when our own files fail, and 502
  /// for whatever else the other server did wrong.
  public var gatewayStatus: Int {
    switch self {
    case .httpStatus(_, 404, _, _), .httpStatus(_, 410, _, _), .fileNotFound: 404
    case .invalidURL, .unsupportedScheme, .invalidDataURL, .addressRefused, .redirectRefused, .vetoed,
      .outsideRoots,
      .notRegularFile, .sourceFailed:
      400
    case .tooLarge, .recentlyFailed(_, "tooLarge", _): 413
    case .unacceptableContentType, .recentlyFailed(_, "unacceptableContentType", _): 415
    // Of the statuses only those are remembered that say that there is nothing.
    case .recentlyFailed(_, "httpStatus", _): 404
    case .timedOut, .httpStatus(_, 504, _, _): 504
    case .queueFull, .loaderClosed, .hostSuspended: 503
    case .fileUnreadable, .fileUnwritable, .bodyAlreadyConsumed: 500
    case .hostNotFound, .connectionFailed, .tls, .httpStatus, .tooManyRedirects, .protocolError,
      .truncatedBody,
      .emptyBody, .contentChanged, .bodyTransformFailed, .recentlyFailed:
      502
    }
  }

  /// What could not be loaded; `nil` for ``bodyAlreadyConsumed``.
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
