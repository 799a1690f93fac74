import CalotypeSupport
import FoundationEssentials

extension LoadingError: CustomStringConvertible {
  /// The fault, its place and a remedy, in one sentence that may be shown to the requester: URLs are without user names
  /// and passwords, and the reason of ``addressRefused(_:reason:)`` is omitted.
  public var description: String { RedactedURL.withoutUsers(sentence) }

  private var sentence: String {
    switch self {
    case .invalidURL(let url, let reason):
      "the URL \(url.loggable) cannot be used: \(reason)"
    case .unsupportedScheme(let source):
      switch source.url.map(\.scheme) {
      case .some(.none): "\(source) has no scheme; the URL of a file is URL(filePath:)"
      case "file": "no loader accepts \(source); files need a FileLoader, which urls: .trusted has"
      default: "no loader accepts \(source); add one that does"
      }
    case .hostNotFound(let url, let host):
      "the host \(host) of \(url.loggable) has no address; check the name and the DNS"
    case .connectionFailed(let url, let reason):
      "no connection for \(url.loggable): \(reason); try again later"
    case .timedOut(let url, .queue, let duration):
      "\(url.loggable) waited for its turn for \(duration), its total timeout; try again later, or raise the limits"
    case .timedOut(let url, let phase, let duration):
      "\(url.loggable) took longer than the \(phase.rawValue) timeout of \(duration); try again or raise it"
    case .tls(let url, let reason):
      "no trusted TLS connection for \(url.loggable): \(reason); check the certificate and the CA file"
    case .httpStatus(let url, let status, _, _):
      "\(url.loggable) answered with HTTP status \(status)"
        + (isRetryable
          ? "; try again later"
          : [401, 403, 407].contains(status) ? "; check the credentials" : "; check the URL")
    case .tooManyRedirects(let url, let limit):
      "\(url.loggable) redirects more than \(limit) times; it probably redirects in a circle"
    case .redirectRefused(let url, let reason):
      "\(url.loggable) redirects to where we do not go: \(reason)"
    case .protocolError(let url, let reason):
      "the response of \(url.loggable) is malformed: \(reason)"
    case .tooLarge(let source, let limit, let declared):
      "\(source) is larger than the limit of \(limit) bytes"
        + (declared.map { " (it announces \($0))" } ?? "")
        + "; raise the byteLimit of the load request, or limits.maxBytes of the image request"
    case .truncatedBody(let url, let received, let expected):
      "\(url.loggable) ended after \(received)" + (expected.map { " of \($0)" } ?? "") + " bytes; try again"
    // Not the reason: it would reveal the addresses of internal names.
    case .addressRefused(let url, _):
      "\(url.loggable) is refused: the address policy does not allow its host, or one that it leads to; add an "
        + "exception to the loader's AddressPolicy, or use `urls: .trusted` for your own network"
    case .contentChanged(let url, let received):
      "\(url.loggable) broke off after \(received) bytes and has changed since; load it anew"
    case .unacceptableContentType(let url, let type, let accepted):
      "\(url.loggable) is of type \(type ?? "unknown"), not one of \(accepted.joined(separator: ", "))"
    case .vetoed(let url, let reason):
      "\(url.loggable) was not loaded: \(reason)"
    case .bodyTransformFailed(let url, let transform, let reason):
      "the body of \(url.loggable) cannot be read by \(transform): \(reason)"
    case .recentlyFailed(let source, let code, let duration):
      "\(source) failed a short while ago (\(code)); it is asked again in \(duration.inSeconds)"
    case .hostSuspended(let url, let host, let duration):
      "\(url.loggable) was not loaded because \(host) failed too often; it is asked again in \(duration.inSeconds)"
    case .fileUnwritable(let url, let reason):
      "cannot write \(url.loggable): \(reason)"
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
    case .sourceFailed(let source, let reason):
      "\(source) broke off: \(reason); send it again"
    case .queueFull(let url, let limit):
      "\(url.loggable) was not loaded because \(limit) transfers wait already, in all or for its host; "
        + "load fewer at a time, try again later, or raise maxQueued"
    case .loaderClosed(let url):
      "\(url.loggable) was not loaded because the loader was shut down"
    case .bodyAlreadyConsumed:
      "the bytes of a body or a stream can be read once; keep them, or make another"
    }
  }
}

extension Duration {
  /// Whole seconds, rounded up, for messages.
  fileprivate var inSeconds: String {
    let (seconds, rest) = components
    return "\(rest > 0 ? seconds + 1 : seconds) s"
  }
}
