import Calotype
import CalotypeAdmission
import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypePlanning
public import CalotypeResults
import CalotypeURLs

/// Errors of all parts of the server as failures of a request.
extension Failure {
  /// The failure that an error stands for; ``FailureReason/internal`` for an unknown one.
  public init(_ error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as ImageURLError: self.init(error)
    case let error as PlanningError: self.init(error)
    case let error as RenderingError: self.init(.unwritableFormat, detail: "\(error)")
    case let error as AdmissionRefusal: self.init(error)
    case let error as LoadingError: self.init(error)
    case let error as ImagingError: self.init(error)
    case let error as PipelineError: self.init(error)
    case let error as CachingError where error.isRetryable:
      self.init(.storageUnavailable, retryAfter: .seconds(1), detail: error.description)
    case is CancellationError: self.init(.cancelled)
    default: self.init(.internal, detail: "\(error)")
    }
  }

  private init(_ error: ImageURLError) {
    let reason: FailureReason =
      switch error.fault {
      case .invalidSignature: .invalidSignature
      case .missingSignature: .missingSignature
      case .securityOption, .cacheBypass: .securityOption
      case .expired: .expired
      default: .invalidURL
      }
    self.init(reason, detail: error.description)
  }

  private init(_ error: PlanningError) {
    let reason: FailureReason =
      switch error.fault {
      case .emptySource: .undecodable
      case .sourceTooLarge, .frameTooLarge, .sourceFileTooLarge, .noSuchPage: .sourceTooLarge
      case .resultTooLarge: .tooLarge
      case .unwritableFormat, .notADrawing: .unwritableFormat
      // They are loaded before the plan is made.
      case .unknownWatermark: .internal
      }
    self.init(reason, detail: error.description)
  }

  private init(_ error: AdmissionRefusal) {
    let reason: FailureReason =
      switch error.reason {
      case .tooLarge: .tooLarge
      case .queueFull: .queueFull
      case .overloaded, .expired: .overloaded
      case .closed: .shuttingDown
      }
    self.init(reason, retryAfter: error.retryAfter, detail: error.description)
  }

  private init(_ error: LoadingError) {
    var status: Int?
    let reason: FailureReason
    switch error {
    case .httpStatus(_, let code, _, _):
      // A part is no image; the server asked for none.
      reason = code == 206 ? .sourceUnreachable : .sourceStatus
      status = code
    case .fileNotFound, .fileUnreadable, .notRegularFile, .outsideRoots:
      (reason, status) = (.sourceStatus, 404)
    case .addressRefused, .redirectRefused, .vetoed, .invalidURL: reason = .sourceRefused
    // Nothing was sent: the source is not to blame.
    case .timedOut(_, .queue, _): reason = .overloaded
    case .timedOut: reason = .sourceTimeout
    case .truncatedBody, .emptyBody: reason = .sourceIncomplete
    case .tooLarge: reason = .sourceTooLarge
    case .queueFull: reason = .overloaded
    case .loaderClosed: reason = .shuttingDown
    default: reason = .sourceUnreachable
    }
    self.init(reason, originStatus: status, retryAfter: error.retryAfter, detail: error.description)
  }

  private init(_ error: ImagingError) {
    let reason: FailureReason =
      switch error {
      case .cancelled: .cancelled
      case .unrecognizedFormat, .unsupportedFormat: .unsupportedSource
      case .limitExceeded: .sourceTooLarge
      case .outOfMemory: .tooLarge
      case .encodingFailed, .cannotFit, .invalidParameter, .transformFailed: .unwritableFormat
      case .sandboxUnavailable: .overloaded
      default: .undecodable
      }
    self.init(reason, retryAfter: error.retryAfter, detail: error.description)
  }

  private init(_ error: PipelineError) {
    let reason: FailureReason =
      switch error {
      case .deadlineExceeded: .sourceTimeout
      case .loadDenied: .sourceRefused
      case .digestMismatch: .hashMismatch
      case .exceedsMemory: .tooLarge
      case .queueFull, .overloaded: .overloaded
      case .shutDown: .shuttingDown
      default: .internal
      }
    self.init(reason, retryAfter: error.retryAfter, detail: error.description)
  }
}
