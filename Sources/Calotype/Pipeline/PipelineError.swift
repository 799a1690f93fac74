/// What the pipeline itself refuses. Errors of the rooms (`LoadingError`, `ImagingError`) pass unchanged.
public enum PipelineError: CalotypeError, Hashable {
  /// The request allows caches only, and none has the image.
  case notCached(String)

  /// A stable name for machines.
  public var code: String {
    switch self {
    case .notCached: "notCached"
    }
  }

  /// Whether the same call can succeed later.
  public var isRetryable: Bool { false }
}

extension PipelineError: CustomStringConvertible {
  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .notCached(let source):
      "\(source) is in no cache, and the request's cache policy forbids loading it"
    }
  }
}
