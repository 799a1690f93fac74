import Calotype
import CalotypeSupport
import FoundationEssentials

/// The texts of errors behind the name of the source, which they do not repeat, with the options of the command as
/// remedies.
extension LoadingError {
  /// Returns whether the source on the command line is at fault, and not a fallback or the target of a redirect.
  func concerns(_ source: String) -> Bool {
    guard let url = try? Source(argument: source)?.url, let other = self.source else { return false }
    return ImageSource.url(url).description == other.description
  }

  /// The fault and a remedy, without the source.
  var reason: String {
    switch self {
    case .invalidURL(_, let reason):
      "the URL cannot be used: \(reason)"
    case .unsupportedScheme:
      "URLs of this scheme cannot be loaded, only http, https, file and data"
    case .hostNotFound(_, let host):
      "the host \(host) has no address; check the name and the DNS"
    case .connectionFailed(_, let reason):
      "no connection: \(reason); try again later"
    case .timedOut(_, .queue, let duration):
      "waited for its turn for \(duration); try again, or raise --timeout"
    case .timedOut(_, let phase, let duration):
      "took longer than the \(phase.rawValue) timeout of \(duration); try again"
        + (phase == .total ? ", or raise --timeout" : "")
    case .tls(_, let reason):
      "no trusted TLS connection: \(reason); check the certificate, and --cacert"
    case .httpStatus(_, let status, _, _):
      "HTTP status \(status); " + advice(for: status)
    case .tooManyRedirects(_, let limit):
      "more than \(limit) redirects, probably in a circle"
    case .redirectRefused(_, let reason):
      "a redirect is not followed: \(reason)"
    case .protocolError(_, let reason):
      "the response is malformed: \(reason)"
    case .tooLarge(_, let limit, let declared):
      "larger than the limit of \(limit) bytes" + (declared.map { ", with \($0) bytes" } ?? "")
        + (limit < DecodeLimits.default.maxBytes ? "; raise --max-bytes" : "")
    case .truncatedBody(_, let received, let expected):
      "ended after \(received)" + (expected.map { " of \($0)" } ?? "") + " bytes; try again"
    case .addressRefused:
      "--public-only refuses its address, or one that it leads to"
    case .contentChanged(_, let received):
      "broke off after \(received) bytes, and has changed since; try again"
    case .unacceptableContentType(_, let type, let accepted):
      "of type \(type ?? "unknown"), not one of \(accepted.joined(separator: ", "))"
    case .emptyBody:
      "holds no bytes"
    case .fileNotFound:
      "no such file"
    case .fileUnreadable(_, let reason):
      "cannot be read: \(reason)"
    case .notRegularFile(_, let kind):
      "\(kind), not a file"
    case .invalidDataURL(_, let reason):
      "not a valid data: URL: \(reason)"
    // Hooks and limits that the command does not have.
    default:
      description
    }
  }

  private func advice(for status: Int) -> String {
    if isRetryable { return "try again later" }
    return [401, 403, 407].contains(status) ? "check the credentials" : "check the URL"
  }
}

extension PipelineError {
  /// Returns whether the description begins with the source.
  func concerns(_ source: String) -> Bool {
    switch self {
    case .notCached(let text), .deadlineExceeded(let text, _), .notStored(let text, _),
      .exceedsMemory(let text, _, _):
      (try? Source(argument: source)?.url).map { ImageSource.url($0).description } == text
    default: false
    }
  }

  /// The fault and a remedy, without the source.
  var reason: String {
    switch self {
    case .notCached:
      "in no cache, and --cache-policy forbids loading it"
    case .deadlineExceeded(_, let limit):
      "not there within \(limit); try again, or raise --deadline"
    case .notStored(_, let code):
      "loaded, but not stored (\(code)); check the cache folder and its free space"
    case .exceedsMemory(_, let bytes, let limit):
      "takes \(bytes) bytes to decode, of \(limit) that the command may hold; ask for a thumbnail"
    default: description
    }
  }
}
