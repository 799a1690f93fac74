public import HTTPTypes

/// The responses to failures: the status and the sentence of imgproxy where it has one, a stable code, and how long caches keep them.
///
/// ```swift
/// let reply = ErrorTable().reply(to: Failure(.overloaded, retryAfter: .seconds(2)))
/// // 503, X-Error-Code: overloaded, Cache-Control: no-store, Retry-After: 2, "Server is overloaded"
/// ```
public struct ErrorTable: Hashable, Sendable {
  /// The seconds for which caches may keep a failure that is likely to last, such as 404 and 422.
  public var timeToLive = 60
  /// Whether responses have no `Cache-Control`, as those of imgproxy.
  public var omitsCacheControl = false
  /// Whether the text has the details. They may name sources and settings.
  public var showsDetails = false

  /// Creates the table with its defaults.
  public init() {}

  /// Returns the response to a failure.
  ///
  /// - Parameter prefersJSON: Whether the client prefers `application/problem+json` (RFC 9457) to plain text.
  public func reply(to failure: Failure, prefersJSON: Bool = false) -> FailureReply {
    let status = Self.status(of: failure)
    let sentence = Self.sentence(of: failure.reason)
    let code = failure.reason.rawValue
    var fields = HTTPFields()
    fields[.contentType] = prefersJSON ? "application/problem+json" : "text/plain; charset=utf-8"
    fields[.xContentTypeOptions] = "nosniff"
    fields[.errorCode] = code
    if !omitsCacheControl { fields[.cacheControl] = cacheControl(of: failure.reason, status: status) }
    if Self.mayRetry(status), let retryAfter = failure.retryAfter {
      fields[.retryAfter] = String(min(max(retryAfter.wholeSecondsUp, 1), 86_400))
    }
    let detail = showsDetails && !failure.detail.isEmpty ? failure.detail : nil
    let body =
      prefersJSON
      ? Self.problem(title: sentence, status: status, code: code, detail: detail)
      : detail.map { "\(sentence): \($0)" } ?? sentence
    return FailureReply(status: Self.httpStatus(status), fields: fields, body: body)
  }

  /// Returns the status of a failure.
  public static func status(of failure: Failure) -> Int {
    switch failure.reason {
    case .notRouted, .invalidURL, .expired, .sourceRefused, .sourceUnreachable: 404
    case .methodNotAllowed: 405
    case .invalidSignature, .missingSignature, .unauthorized, .securityOption: 403
    case .sourceStatus:
      switch failure.originStatus ?? 0 {
      case 400...499: failure.originStatus ?? 404
      case 500...: 502
      default: 404
      }
    case .sourceTimeout: 504
    case .sourceIncomplete, .sourceTooLarge, .unsupportedSource, .undecodable, .hashMismatch,
      .unwritableFormat,
      .tooLarge:
      422
    case .queueFull: 429
    case .cancelled: 499
    case .overloaded, .timeout, .shuttingDown, .storageUnavailable: 503
    case .internal: 500
    }
  }

  /// Returns the sentence that the client sees, which names nothing internal.
  public static func sentence(of reason: FailureReason) -> String {
    switch reason {
    case .notRouted: "Not found"
    case .methodNotAllowed: "Method not allowed"
    case .invalidURL, .expired, .securityOption, .unwritableFormat: "Invalid URL"
    case .invalidSignature, .unauthorized: "Forbidden"
    case .missingSignature:
      "The signature appears to be a processing option. The signature section should always be present in the URL."
    case .sourceRefused: "Invalid source URL"
    case .sourceUnreachable, .sourceStatus, .sourceTimeout: "Source is unreachable"
    case .sourceIncomplete: "Source response is incomplete"
    case .sourceTooLarge, .unsupportedSource, .hashMismatch: "Invalid source image"
    case .undecodable: "Broken or unsupported image"
    case .tooLarge: "Image is too large"
    case .queueFull: "Too many requests"
    case .overloaded: "Server is overloaded"
    case .timeout: "Timeout"
    case .cancelled: "Cancelled"
    case .shuttingDown: "Server is shutting down"
    case .storageUnavailable: "Storage is unavailable"
    case .internal: "Internal error"
    }
  }

  /// A failure that is likely to last may be kept for a short time, one that depends on the moment or on the client not at all.
  private func cacheControl(of reason: FailureReason, status: Int) -> String {
    let lasts =
      switch reason {
      // A connection may succeed the next time.
      case .sourceUnreachable, .sourceIncomplete, .tooLarge: false
      // The status of the origin, which may depend on credentials.
      case .sourceStatus: status == 404 || status == 410
      default: status == 404 || status == 422
      }
    return lasts && timeToLive > 0 ? "max-age=\(timeToLive), public" : "no-store"
  }

  private static func mayRetry(_ status: Int) -> Bool { status == 429 || status == 503 }

  /// 499 has no registered phrase.
  private static func httpStatus(_ code: Int) -> HTTPResponse.Status {
    code == 499
      ? HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")
      : HTTPResponse.Status(code: code)
  }

  private static func problem(title: String, status: Int, code: String, detail: String?) -> String {
    var members = ["\"title\":\(quoted(title))", "\"status\":\(status)", "\"code\":\(quoted(code))"]
    if let detail { members.append("\"detail\":\(quoted(detail))") }
    return "{\(members.joined(separator: ","))}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case ..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension HTTPField.Name {
  /// `X-Error-Code`: the stable code of a failure.
  public static var errorCode: Self { extension_("X-Error-Code") }

  /// Names that are known to be well formed.
  static func extension_(_ name: String) -> Self {
    guard let name = Self(name) else { preconditionFailure("\(name) is a field name") }
    return name
  }
}

extension Duration {
  /// Seconds, rounded up.
  var wholeSecondsUp: Int {
    let (seconds, attoseconds) = components
    return seconds < Int64.max && attoseconds > 0 ? Int(seconds) + 1 : Int(seconds)
  }
}
