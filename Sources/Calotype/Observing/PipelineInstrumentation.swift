import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// The observers and the tracer of a pipeline.
final class PipelineInstrumentation: Sendable {
  let observers: [any PipelineObserving]
  let elapsed: @Sendable () -> Duration
  private let tracer: (any PipelineTracing)?
  private let count = Lock(0)

  /// Returns `nil` without observers and tracer.
  init?(
    observers: [any PipelineObserving], tracer: (any PipelineTracing)?,
    elapsed: @escaping @Sendable () -> Duration
  ) {
    if observers.isEmpty, tracer == nil { return nil }
    self.observers = observers
    self.tracer = tracer
    self.elapsed = elapsed
  }

  func nextNumber() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }

  /// Starts a span within the present one, if there is a tracer.
  func startSpan(_ name: String, _ source: ImageSource, isRemote: Bool = false) -> (any PipelineSpan)? {
    tracer?.startSpan("calotype.\(name)", isRemote: isRemote, attributes: source.spanAttributes)
  }

  /// Performs the work of a stage, and reports it.
  func stage<Result>(
    _ stage: ImagePipeline.Stage, of request: ImageRequest, bytes: (Result) -> Int?,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let observed = ImagePipeline.ObservedStage(id: nextNumber(), stage: stage, request: request)
    let span = startSpan(stage.rawValue, request.source, isRemote: stage == .load)
    for observer in observers { observer.stageStarted(observed) }
    let start = elapsed()
    do {
      let result: Result
      if let span {
        result = try await span.withCurrent(body)
      } else {
        result = try await body()
      }
      end(observed, span, ImagePipeline.StageResult(duration: elapsed() - start, byteCount: bytes(result)))
      return result
    } catch {
      end(observed, span, ImagePipeline.StageResult(duration: elapsed() - start, error: error))
      throw error
    }
  }

  private func end(
    _ stage: ImagePipeline.ObservedStage, _ span: (any PipelineSpan)?, _ result: ImagePipeline.StageResult
  ) {
    if let span {
      if let count = result.byteCount {
        span.set("calotype.bytes", to: count)
      }
      if let error = result.error { span.note(error) }
      span.end()
    }
    for observer in observers { observer.stageFinished(stage, result: result) }
  }
}

extension PipelineSpan {
  /// Records a failure or a cancellation. Only the code of an error is recorded: its text may contain
  /// confidential data.
  func note(_ error: any Error) {
    if error.isCancellation {
      set("calotype.outcome", to: "cancelled")
    } else {
      let code = error.knownCode
      set("error.type", to: code)
      fail(code: code)
    }
  }
}

extension Error {
  /// The code of an error of this package; `other` for all other errors, of which there is no bounded
  /// number.
  package var knownCode: String {
    switch self {
    case let error as LoadingError: error.code
    case let error as ImagingError: error.code
    case let error as CachingError: error.code
    case let error as PipelineError: error.code
    default: isCancellation ? "cancelled" : "other"
    }
  }
}

extension ImageSource {
  /// The attributes of a span: neither query nor user name, and none for bytes at hand.
  fileprivate var spanAttributes: [String: String] {
    guard let url, let scheme = url.scheme?.lowercased() else { return [:] }
    guard ["http", "https", "file"].contains(scheme) else { return ["url.scheme": scheme] }
    var attributes = ["url.scheme": scheme, "url.path": url.path(percentEncoded: true)]
    if let host = url.host(), !host.isEmpty { attributes["server.address"] = host }
    return attributes
  }
}
