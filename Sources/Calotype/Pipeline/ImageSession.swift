import CalotypeSupport
import Synchronization

/// One load and its observers: what the iterators of an ``ImageEvents`` have in common.
final class ImageSession: Sendable {
  enum Entrance {
    case visit(Visit)
    case ending(ImageEvent)
  }

  private struct State {
    var visitors = 0
    var start: Duration?
    var ending: Result<ImageEvent, any Error>?
  }

  let request: ImageRequest
  private let pipeline: ImagePipeline
  private let priority: LivePriority
  private let watch: RequestInstrumentation?
  private let state = Lock(State())

  init(pipeline: ImagePipeline, request: ImageRequest) {
    self.pipeline = pipeline
    self.request = request
    priority = LivePriority(request.priority.taskPriority)
    watch = pipeline.context.watch.map { RequestInstrumentation($0, .events, request) }
  }

  var requestPriority: RequestPriority {
    get { RequestPriority(rawValue: priority.value.rawValue) ?? request.priority }
    set { priority.set(newValue.taskPriority) }
  }

  /// A place in the job of the request, or how it has ended.
  func enter() async throws -> Entrance {
    let (ending, isFirst) = state.withLock { state -> (Result<ImageEvent, any Error>?, Bool) in
      let isFirst = state.ending == nil && state.start == nil
      if state.ending == nil {
        state.visitors += 1
        if isFirst { state.start = pipeline.context.elapsed() }
      }
      return (state.ending, isFirst)
    }
    if isFirst { watch?.begin() }
    if let ending { return .ending(try ending.get()) }
    if let response = pipeline.memoryResponse(for: request), pipeline.isOpen {
      defer { leave() }
      return .ending(try end(.success(.response(response))))
    }
    do {
      let want = try pipeline.want(request, priority: priority, watchesProgress: true)
      let visit = try await RequestInstrumentation.within(watch) {
        var original: Subscription<OriginalData>?
        if request.includesData {
          original = try pipeline.subscribeToOriginal(of: request, want)
        }
        do {
          let place = try pipeline.context.subscribe(to: request, want: want)
          return Visit(self, place: place, original: original)
        } catch {
          original?.leave()
          throw error
        }
      }
      return .visit(visit)
    } catch {
      defer { leave() }
      // A caller that was cancelled ends nothing for the others.
      if !(error is CancellationError) { _ = try end(.failure(error)) }
      throw error
    }
  }

  /// Sets the ending, unless there is one; whichever counts.
  private func end(_ ending: Result<ImageEvent, any Error>) throws -> ImageEvent {
    let (first, isFirst) = state.withLock { state in
      let isFirst = state.ending == nil
      let first = state.ending ?? ending
      state.ending = first
      return (first, isFirst)
    }
    if isFirst { watch?.end(RequestOutcome(first)) }
    return try first.get()
  }

  /// An observer has gone. When the last one goes before the end, that is the end.
  private func leave() {
    let isEnd = state.withLock { state in
      state.visitors -= 1
      guard state.visitors == 0, state.ending == nil else { return false }
      state.ending = .failure(CancellationError())
      return true
    }
    if isEnd { watch?.end(.cancelled) }
  }

  /// One observer's place, given up when the observer goes.
  final class Visit: Sendable {
    private let session: ImageSession
    private let place: Subscription<ImageResult>
    private let original: Subscription<OriginalData>?
    private let hasSeenStale = Lock(false)

    init(
      _ session: ImageSession, place: Subscription<ImageResult>, original: Subscription<OriginalData>?
    ) {
      self.session = session
      self.place = place
      self.original = original
    }

    deinit {
      place.leave()
      original?.leave()
      session.leave()
    }

    /// The next event.
    func next() async throws -> ImageEvent {
      let (pipeline, request) = (session.pipeline, session.request)
      do {
        return try await limited { deadline in
          let signal = try await place.next(request.previews == .off ? .basic : .all)
          switch signal {
          case .started: return .started
          case .arrived(let arrival): return .progress(arrival.progress)
          case .preview(let preview): return .preview(preview)
          case .interim(let made):
            let response = try await pipeline.delivery(
              of: made, from: place, isInterim: true, for: request, original: original, deadline: deadline
            ).response
            hasSeenStale.withLock { $0 = true }
            return .staleResponse(response)
          case .ended(let made):
            let response = try await pipeline.delivery(
              of: made, from: place, isInterim: false, for: request, original: original, deadline: deadline
            ).response
            guard hasSeenStale.withLock({ $0 }) else { return try session.end(.success(.response(response))) }
            if let failure = made.provenance.failure {
              return try session.end(.success(.refreshFailed(failure)))
            }
            return try session.end(.success(made.isConfirmed ? .notModified(response) : .response(response)))
          }
        }
      } catch {
        // Cancelling one observer ends nothing for the others.
        if error is CancellationError { throw error }
        if hasSeenStale.withLock({ $0 }) { return try session.end(.success(.refreshFailed(error))) }
        _ = try session.end(.failure(error))
        throw error
      }
    }

    /// Waits no longer than the request does.
    private func limited<Value>(_ body: (Deadline?) async throws -> Value) async throws -> Value {
      let (pipeline, request) = (session.pipeline, session.request)
      let start = session.state.withLock { $0.start } ?? .zero
      let deadline = Deadline(of: request, since: start, in: pipeline.context)
      defer { deadline?.end() }
      deadline?.limit(place)
      if let original { deadline?.limit(original) }
      do {
        return try await body(deadline)
      } catch {
        throw pipeline.told(error, deadline)
      }
    }
  }
}
