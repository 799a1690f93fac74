import CalotypeSupport

/// The reports of one request to observers and the tracer: its beginning, and once its ending.
final class RequestInstrumentation: Sendable {
  private struct State {
    var start = Duration.zero
    var span: (any PipelineSpan)?
    var hasBegun = false
    var ending: (outcome: ImagePipeline.RequestOutcome, duration: Duration)?
  }

  private let watch: PipelineInstrumentation
  private let request: ImagePipeline.ObservedRequest
  private let state = Lock(State())

  init(_ watch: PipelineInstrumentation, _ kind: ImagePipeline.ObservedRequest.Kind, _ request: ImageRequest)
  {
    self.watch = watch
    self.request = ImagePipeline.ObservedRequest(id: watch.nextNumber(), kind: kind, request: request)
  }

  /// Reports the beginning. To be called once.
  func begin() {
    let span = watch.startSpan("request", request.request.source)
    let start = watch.elapsed()
    state.withLock { state in
      state.start = start
      state.span = span
    }
    for observer in watch.observers { observer.requestStarted(request) }
    let ended = state.withLock { state in
      state.hasBegun = true
      return state.ending != nil
    }
    // The request has ended meanwhile on another thread, which left the report to this one, to preserve the
    // order.
    if ended { tell() }
  }

  /// Reports the ending. The first call counts.
  func end(_ outcome: ImagePipeline.RequestOutcome) {
    let now = watch.elapsed()
    let isTime = state.withLock { state in
      guard state.ending == nil else { return false }
      state.ending = (outcome, now - state.start)
      return state.hasBegun
    }
    if isTime { tell() }
  }

  private func tell() {
    let (ending, span) = state.withLock { state in
      defer { state.span = nil }
      return (state.ending, state.span)
    }
    guard let (outcome, duration) = ending else { return }
    if let span {
      switch outcome {
      case .succeeded(let success):
        span.set("calotype.source", to: success.source.rawValue)
        if let count = success.byteCount { span.set("calotype.bytes", to: count) }
        if success.isStale { span.set("calotype.stale", to: true) }
      case .failed(let error): span.note(error)
      case .cancelled: span.note(CancellationError())
      }
      span.end()
    }
    for observer in watch.observers {
      observer.requestFinished(request, outcome: outcome, duration: duration)
    }
  }

  /// Runs `body` within the span of the request, so that work it starts belongs to the span.
  static func within<Result>(
    _ watch: RequestInstrumentation?, _ body: () async throws -> Result
  ) async rethrows -> Result {
    guard let span = watch?.state.withLock({ $0.span }) else { return try await body() }
    return try await span.withCurrent(body)
  }
}
