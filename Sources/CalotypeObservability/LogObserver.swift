public import Calotype
import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
public import Logging

/// Writes what becomes of requests into a log of swift-log.
///
/// | what | level |
/// | --- | --- |
/// | an image from memory, a stage that ended | trace |
/// | any other success | as given, debug by default |
/// | a cancelled request, a stage that failed | debug |
/// | a failure of the source, of the way to it, or by a rule | warning |
/// | a failure at this end: disk, memory, a mistake in the configuration, an error of others | error |
/// | errors of a cache, which fail no request: the first, and those of another code | warning |
/// | further errors of a cache | debug |
///
/// Errors of caches are read from the samples of `ImagePipeline.run(until:)`: a folder that cannot be used is in the log
/// within the first interval.
///
/// Metadata: `request.id`, `request.kind`, `url` (without user name and password; `data:` URLs cut short), `source`,
/// `bytes`, `stale`, `duration_ms`; `error.code`, `error.retryable`, `http.status` of failures, and `error.reason` of
/// refused addresses, which errors and responses leave out; `stage` of stages; `errors`, the number of new ones of a cache.
/// Never header fields, credentials,
/// partitions or the texts of other errors.
public struct LogObserver: PipelineObserving {
  private let logger: Logger
  private let successLevel: Logger.Level
  private let cacheErrors = CacheErrorLog()

  /// An observer that writes to `logger`.
  ///
  /// - Parameters:
  ///   - logger: Where to.
  ///   - successLevel: Of images that are not from memory.
  public init(logger: Logger, successLevel: Logger.Level = .debug) {
    self.logger = logger
    self.successLevel = successLevel
  }

  /// Writes how the request ended.
  public func requestFinished(
    _ request: ImagePipeline.ObservedRequest, outcome: ImagePipeline.RequestOutcome, duration: Duration
  ) {
    let level = level(of: outcome)
    guard logger.logLevel <= level else { return }
    var metadata: Logger.Metadata = [
      "request.id": "\(request.id)", "request.kind": "\(request.kind.rawValue)",
      "url": "\(request.request.source)", "duration_ms": "\(duration.inMilliseconds)",
    ]
    switch outcome {
    case .succeeded(let success):
      metadata["source"] = "\(success.source.rawValue)"
      if let count = success.byteCount { metadata["bytes"] = "\(count)" }
      if success.isStale { metadata["stale"] = "true" }
      logger.log(level: level, "request succeeded", metadata: metadata)
    case .failed(let error):
      metadata.add(error)
      logger.log(level: level, "request failed", metadata: metadata)
    case .cancelled:
      logger.log(level: level, "request cancelled", metadata: metadata)
    }
  }

  /// Writes how the stage ended.
  public func stageFinished(_ stage: ImagePipeline.ObservedStage, result: ImagePipeline.StageResult) {
    let level: Logger.Level = result.error == nil ? .trace : .debug
    guard logger.logLevel <= level else { return }
    var metadata: Logger.Metadata = [
      "stage": "\(stage.stage.rawValue)", "url": "\(stage.request.source)",
      "duration_ms": "\(result.duration.inMilliseconds)",
    ]
    if let count = result.byteCount { metadata["bytes"] = "\(count)" }
    if let error = result.error { metadata.add(error) }
    logger.log(level: level, result.error == nil ? "stage ended" : "stage failed", metadata: metadata)
  }

  /// Writes that a cache has failed since the last sample.
  public func sampled(_ sample: ImagePipeline.Sample) {
    guard let news = cacheErrors.news(in: sample.statistics) else { return }
    logger.log(
      level: news.isRepeated ? .debug : .warning, "cache failed",
      metadata: ["error.code": "\(news.code)", "errors": "\(news.count)"])
  }

  private func level(of outcome: ImagePipeline.RequestOutcome) -> Logger.Level {
    switch outcome {
    case .succeeded(let success): success.source == .memory ? .trace : successLevel
    case .cancelled: .debug
    case .failed(let error): error.isOurs ? .error : .warning
    }
  }
}

extension Logger.Metadata {
  fileprivate mutating func add(_ error: any Error) {
    self["error.code"] = "\(error.knownCode)"
    if let error = error as? any CalotypeError { self["error.retryable"] = "\(error.isRetryable)" }
    switch error as? LoadingError {
    case .httpStatus(_, let status, _, _): self["http.status"] = "\(status)"
    case .addressRefused(_, let reason): self["error.reason"] = "\(reason)"
    default: break
    }
  }
}

extension Error {
  /// Whether something is wrong at this end.
  fileprivate var isOurs: Bool {
    switch self {
    case is PipelineError: false
    case let error as LoadingError: error.gatewayStatus == 500
    case let error as ImagingError: !error.blamesInput && !error.blamesLimits
    default: true
    }
  }
}

extension ImagingError {
  /// Whether the picture is more than, or other than, we take.
  fileprivate var blamesLimits: Bool {
    switch self {
    case .limitExceeded, .unsupportedFormat, .cannotFit: true
    default: false
    }
  }
}
