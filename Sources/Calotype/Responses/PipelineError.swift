import CalotypeSupport

/// An error of the pipeline itself. Errors of the other modules (`LoadingError`, `ImagingError`) pass
/// unchanged.
@nonexhaustive public enum PipelineError: CalotypeError, Hashable {
  /// The request permits caches only, and none has the image.
  case notCached(String)
  /// ``ImagePipeline/Configuration/shouldLoad`` denied the load.
  case loadDenied(String, reason: String)
  /// The bytes have another digest than ``ImageRequest/expectedDigest``. The values are the source, the expected digests
  /// and the digest of the bytes, as in Subresource Integrity.
  case digestMismatch(String, expected: String, actual: String)
  /// The image did not arrive within the ``ImageRequest/deadline`` of the request, or was not loaded
  /// because it could not have.
  case deadlineExceeded(String, after: Duration)
  /// The image is animated, or still, and the request expects the other kind.
  case unexpectedKind(ImageResponse.Kind, expected: ImageResponse.Kind)
  /// Too many requests already wait for a ``Prefetcher``.
  case queueFull(String, limit: Int)
  /// Too many requests are in progress, in total or for one origin, or too many callers wait for them
  /// (``ImagePipeline/Limits``). The values are the source, the number of waiting requests, and the time
  /// after which to retry: whole seconds, from 1 to 120.
  case overloaded(String, waiting: Int, retryAfter: Duration)
  /// The image, according to its header, takes more memory than the pipeline may hold. In bytes.
  case exceedsMemory(String, bytes: Int, limit: Int)
  /// The image was loaded but could not be stored, in a call whose only purpose is storing; the code of the
  /// error, or `shed` when too many entries waited to be stored.
  case notStored(String, code: String)
  /// The pipeline has been shut down or is shutting down, and rejects new requests.
  case shutDown

  /// A stable, machine-readable name.
  public var code: String {
    switch self {
    case .notCached: "notCached"
    case .loadDenied: "loadDenied"
    case .digestMismatch: "digestMismatch"
    case .deadlineExceeded: "deadlineExceeded"
    case .unexpectedKind: "unexpectedKind"
    case .queueFull: "queueFull"
    case .overloaded: "overloaded"
    case .exceedsMemory: "exceedsMemory"
    case .notStored: "notStored"
    case .shutDown: "shutDown"
    }
  }

  /// Whether the same call can succeed later.
  public var isRetryable: Bool {
    switch self {
    case .deadlineExceeded, .queueFull, .overloaded: true
    case .notStored(_, let code): code == ImageResponse.StoreOutcomes.shed
    case .notCached, .loadDenied, .digestMismatch, .unexpectedKind, .exceedsMemory, .shutDown: false
    }
  }

  /// The expected wait of a request that was refused because too many wait (``overloaded(_:waiting:retryAfter:)``).
  public var retryAfter: Duration? {
    if case .overloaded(_, _, let retryAfter) = self { retryAfter } else { nil }
  }
}

extension PipelineError {
  /// 504 for an image that was not available from a cache (RFC 9111 §5.2.1.7) or in time, 403 for a denied
  /// load, 502 for bytes with another digest, 422 for an image of the other kind, 413 for one that exceeds the memory limit, 500 for a failed
  /// store, and 503 for a full queue and for shutdown.
  public var gatewayStatus: Int {
    switch self {
    case .notCached, .deadlineExceeded: 504
    case .loadDenied: 403
    case .digestMismatch: 502
    case .unexpectedKind: 422
    case .exceedsMemory: 413
    case .notStored: 500
    case .queueFull, .overloaded, .shutDown: 503
    }
  }
}

extension PipelineError: CustomStringConvertible {
  /// A description of the problem and its remedy. URLs are without user names and passwords.
  public var description: String { RedactedURL.withoutUsers(sentence) }

  private var sentence: String {
    switch self {
    case .notCached(let source):
      "\(source) is in no cache, and the cache policy of the request forbids loading it"
    case .loadDenied(let source, let reason):
      "\(source) may not be loaded: \(reason)"
    case .digestMismatch(let source, let expected, let actual):
      "\(source) has the digest \(actual) instead of \(expected); it is another image than the expected one"
    case .deadlineExceeded(let source, let limit):
      "\(source) did not arrive within \(limit), the deadline of the request"
    case .unexpectedKind(let kind, let expected):
      "the image is \(kind.rawValue), and the request expects it to be \(expected.rawValue)"
    case .queueFull(let source, let limit):
      "\(source) is not prefetched, because \(limit) requests already wait; submit fewer at a time"
    case .overloaded(let source, let waiting, let retryAfter):
      "\(source) is refused now, because \(waiting) requests already wait; try again in \(retryAfter)"
    case .exceedsMemory(let source, let bytes, let limit):
      "\(source) takes \(bytes) bytes to decode, and the pipeline may hold \(limit); ask for a thumbnail, or raise the limit"
    case .notStored(let source, let code):
      "\(source) was loaded, but not stored (\(code)); check the cache folder and its free space"
    case .shutDown:
      "the pipeline has been shut down; use another one"
    }
  }
}
