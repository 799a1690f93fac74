import CalotypeSupport

/// What the pipeline itself refuses. Errors of the rooms (`LoadingError`, `ImagingError`) pass unchanged.
public enum PipelineError: CalotypeError, Hashable {
  /// The request allows caches only, and none has the image.
  case notCached(String)
  /// ``ImagePipeline/Configuration/shouldLoad`` said no.
  case loadDenied(String, reason: String)
  /// The image did not come within the ``ImageRequest/deadline`` of the request, or is not loaded, because it could not have.
  case deadlineExceeded(String, after: Duration)
  /// The picture moves, or does not, and the request expects otherwise.
  case unexpectedKind(ImageResponse.Kind, expected: ImageResponse.Kind)
  /// Too many requests wait for a ``Prefetcher`` already.
  case queueFull(String, limit: Int)
  /// Too many requests are under way, in all or for one origin, or too many callers wait for them
  /// (``ImagePipeline/Limits``). The source, how many wait, and when to try again: whole seconds, from 1 to 120.
  case overloaded(String, waiting: Int, retryAfter: Duration)
  /// The image takes more memory than the pipeline may hold, by its header. Bytes.
  case exceedsMemory(String, bytes: Int, limit: Int)
  /// The image was loaded and could not be stored, which was all that the call was for; the code of the error, or `shed`
  /// when too much waited to be stored.
  case notStored(String, code: String)
  /// The pipeline has been shut down, or is being: it takes no more requests.
  case shutDown

  /// A stable name for machines.
  public var code: String {
    switch self {
    case .notCached: "notCached"
    case .loadDenied: "loadDenied"
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
    case .notCached, .loadDenied, .unexpectedKind, .exceedsMemory, .shutDown: false
    }
  }
}

extension PipelineError {
  /// 504 for what was not to be had from a cache (RFC 9111 §5.2.1.7) or in time, 403 for what was denied, 422 for a picture
  /// of the other kind, 413 for one that is larger than all memory, 500 for a failed store, and 503 for a full queue and for
  /// shutdown.
  public var gatewayStatus: Int {
    switch self {
    case .notCached, .deadlineExceeded: 504
    case .loadDenied: 403
    case .unexpectedKind: 422
    case .exceedsMemory: 413
    case .notStored: 500
    case .queueFull, .overloaded, .shutDown: 503
    }
  }
}

extension PipelineError: CustomStringConvertible {
  /// What is wrong and what to do. URLs are without user names and passwords.
  public var description: String { RedactedURL.withoutUsers(sentence) }

  private var sentence: String {
    switch self {
    case .notCached(let source):
      "\(source) is in no cache, and the request's cache policy forbids loading it"
    case .loadDenied(let source, let reason):
      "\(source) may not be loaded: \(reason)"
    case .deadlineExceeded(let source, let limit):
      "\(source) was not there within \(limit), the deadline of the request"
    case .unexpectedKind(let kind, let expected):
      "the picture is \(kind.rawValue), and the request expects it to be \(expected.rawValue)"
    case .queueFull(let source, let limit):
      "\(source) is not prefetched, because \(limit) requests wait already; hand over fewer at a time"
    case .overloaded(let source, let waiting, let retryAfter):
      "\(source) is not loaded now, because \(waiting) requests wait already; try again in \(retryAfter)"
    case .exceedsMemory(let source, let bytes, let limit):
      "\(source) takes \(bytes) bytes to decode, and the pipeline may hold \(limit); ask for a thumbnail, or raise the limit"
    case .notStored(let source, let code):
      "\(source) was loaded, but not stored (\(code)); see to the cache folder and its room"
    case .shutDown:
      "the pipeline has been shut down; use another one"
    }
  }
}
