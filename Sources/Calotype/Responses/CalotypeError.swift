public import CalotypeCaching
public import CalotypeImaging
public import CalotypeLoading

/// The common protocol of all errors of the package; each module has one type of its own.
///
/// Later versions may add cases to these types: a `switch` in another package needs `@unknown default`.
public protocol CalotypeError: Error {
  /// A stable, machine-readable name.
  var code: String { get }
  /// Whether the same call can succeed later.
  var isRetryable: Bool { get }
  /// The time to wait before the same call is worth a retry, in whole seconds, for the `Retry-After` of a server's own
  /// response; `nil` if the error does not know it.
  var retryAfter: Duration? { get }
  /// The status of a server's own response to a request that needed the image (RFC 9110 §15): 4xx where the request or
  /// the image is at fault, among them 400 for a malformed URL and 403 for one that a policy refuses; 502 and 504 for
  /// the origin server; 503 with `Retry-After` under overload; 500 for internal failures.
  var gatewayStatus: Int { get }
}

extension CalotypeError {
  /// `nil`.
  public var retryAfter: Duration? { nil }
  /// 503 for transient errors, 500 for all others.
  public var gatewayStatus: Int { isRetryable ? 503 : 500 }
}

extension LoadingError: CalotypeError {}

extension ImagingError: CalotypeError {
  /// 422 for bytes that are not a sound image, 415 for formats without a coder, 413 for images beyond a
  /// limit, 400 for parameters, 503 for a lack of memory or of a free sandbox and for cancellation, and 500 for failures of
  /// encoding or of a program's transform, and for a machine that has no sandbox.
  public var gatewayStatus: Int {
    switch self {
    case .emptyInput, .unrecognizedFormat, .corrupt, .truncated, .cannotFit, .decoderCrashed,
      .sandboxViolation:
      422
    case .unsupportedFormat: 415
    case .limitExceeded: 413
    case .invalidParameter: 400
    case .outOfMemory, .sandboxUnavailable(_, _?), .cancelled: 503
    case .encodingFailed, .transformFailed, .sandboxUnavailable(_, nil): 500
    }
  }
}

extension CachingError: CalotypeError {}
