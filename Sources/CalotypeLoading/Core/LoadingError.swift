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
  /// The server answered with something else than 2xx or 304. `headers` are those of that answer.
  case httpStatus(URL, status: Int, headers: HTTPFields)
  /// More redirects than the loader follows.
  case tooManyRedirects(URL, limit: Int)
  /// A redirect leads to where the loader does not go, e.g. to a `file:` URL.
  case redirectRefused(URL, reason: String)
  /// The response breaks the rules of its protocol.
  case protocolError(URL, reason: String)
  /// The body is larger than ``LoadRequest/maxBytes``; `declared` is the length it announced.
  case tooLarge(ImageSource, limit: Int, declared: Int?)
  /// The body ended early; lengths in bytes.
  case truncatedBody(URL, received: Int, expected: Int?)
  /// A response without bytes.
  case emptyBody(ImageSource)
  /// There is no such file.
  case fileNotFound(URL)
  /// The system refuses to open or read the file.
  case fileUnreadable(URL, reason: String)
  /// A folder, FIFO, socket or device instead of a file.
  case notRegularFile(URL, kind: String)
  /// The file lies outside the folders the loader is confined to.
  case outsideRoots(URL)
  /// Not a well-formed `data:` URL.
  case invalidDataURL(URL, reason: String)
  /// Too many transfers wait already.
  case queueFull(URL, limit: Int)
  /// The loader was shut down before or during the transfer.
  case loaderClosed(URL)
  /// A second consumer asked for the bytes of a ``LoadBody``.
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
    case .emptyBody: "emptyBody"
    case .fileNotFound: "fileNotFound"
    case .fileUnreadable: "fileUnreadable"
    case .notRegularFile: "notRegularFile"
    case .outsideRoots: "outsideRoots"
    case .invalidDataURL: "invalidDataURL"
    case .queueFull: "queueFull"
    case .loaderClosed: "loaderClosed"
    case .bodyAlreadyConsumed: "bodyAlreadyConsumed"
    }
  }

  /// Whether the same request can succeed later without anyone changing it.
  ///
  /// True for lost connections, passed deadlines, unknown hosts, truncated bodies, a full queue and the
  /// statuses 408, 425, 429, 500, 502, 503 and 504.
  public var isRetryable: Bool {
    switch self {
    case .hostNotFound, .connectionFailed, .timedOut, .truncatedBody, .queueFull: true
    case .httpStatus(_, let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
    default: false
    }
  }

  /// What could not be loaded; `nil` for ``bodyAlreadyConsumed``.
  public var source: ImageSource? {
    switch self {
    case .invalidURL(let url, _), .hostNotFound(let url, _), .connectionFailed(let url, _),
      .timedOut(let url, _, _), .tls(let url, _), .httpStatus(let url, _, _), .tooManyRedirects(let url, _),
      .redirectRefused(let url, _), .protocolError(let url, _), .truncatedBody(let url, _, _),
      .fileNotFound(let url), .fileUnreadable(let url, _), .notRegularFile(let url, _),
      .outsideRoots(let url),
      .invalidDataURL(let url, _), .queueFull(let url, _), .loaderClosed(let url):
      .url(url)
    case .unsupportedScheme(let source), .tooLarge(let source, _, _), .emptyBody(let source):
      source
    case .bodyAlreadyConsumed:
      nil
    }
  }
}

extension LoadingError: CustomStringConvertible {
  /// What is wrong, where, and what to do, in one sentence. Passwords in URLs are hidden.
  public var description: String {
    switch self {
    case .invalidURL(let url, let reason):
      "the URL \(url.loggable) cannot be used: \(reason)"
    case .unsupportedScheme(let source):
      "no loader accepts \(source); add one that does"
    case .hostNotFound(let url, let host):
      "the host \(host) of \(url.loggable) has no address; check the name and the DNS"
    case .connectionFailed(let url, let reason):
      "no connection for \(url.loggable): \(reason); try again later"
    case .timedOut(let url, let phase, let duration):
      "\(url.loggable) took longer than the \(phase.rawValue) timeout of \(duration); try again or raise it"
    case .tls(let url, let reason):
      "no trusted TLS connection for \(url.loggable): \(reason); check the certificate and the CA file"
    case .httpStatus(let url, let status, _):
      "\(url.loggable) answered with HTTP status \(status)"
        + (isRetryable ? "; try again later" : "; check the URL and the credentials")
    case .tooManyRedirects(let url, let limit):
      "\(url.loggable) redirects more than \(limit) times; it probably redirects in a circle"
    case .redirectRefused(let url, let reason):
      "\(url.loggable) redirects to where we do not go: \(reason)"
    case .protocolError(let url, let reason):
      "the response of \(url.loggable) is malformed: \(reason)"
    case .tooLarge(let source, let limit, let declared):
      "\(source) is larger than the limit of \(limit) bytes"
        + (declared.map { " (it announces \($0))" } ?? "") + "; raise maxBytes to allow it"
    case .truncatedBody(let url, let received, let expected):
      "\(url.loggable) ended after \(received)" + (expected.map { " of \($0)" } ?? "") + " bytes; try again"
    case .emptyBody(let source):
      "\(source) holds no bytes"
    case .fileNotFound(let url):
      "there is no file \(url.loggable)"
    case .fileUnreadable(let url, let reason):
      "cannot read \(url.loggable): \(reason)"
    case .notRegularFile(let url, let kind):
      "\(url.loggable) is \(kind), not a file"
    case .outsideRoots(let url):
      "\(url.loggable) lies outside the folders this loader may read"
    case .invalidDataURL(let url, let reason):
      "\(url.loggable) is not a valid data: URL: \(reason)"
    case .queueFull(let url, let limit):
      "\(url.loggable) was not loaded because \(limit) transfers wait already; try again later"
    case .loaderClosed(let url):
      "\(url.loggable) was not loaded because the loader was shut down"
    case .bodyAlreadyConsumed:
      "the body of a response can be read once; keep its bytes"
    }
  }
}
