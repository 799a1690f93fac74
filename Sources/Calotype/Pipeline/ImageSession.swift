import CalotypeSupport
import Synchronization

/// One load and its observers: the common state of the sequences of an ``ImageLoad``.
final class ImageSession: Sendable {
  enum Entrance {
    case visit(Visit)
    /// The load has ended, with these events for later observers.
    case ended([ImageLoad.Event])
  }

  /// The ending of a load.
  enum Ending: Sendable {
    case response(ImageResponse)
    /// The stale response was confirmed; the associated value is the fresh response.
    case confirmed(ImageResponse)
    /// The revalidation failed: the stale response remains.
    case refreshFailed(ImageResponse, any Error)
    case failure(any Error)
  }

  private struct State {
    var visitors = 0
    var start: Duration?
    var ending: Ending?
    /// The subscriptions of the last observer that left before the end: the load continues while a new
    /// observer is possible.
    var kept: Places?
  }

  /// The subscriptions of one observer to jobs.
  struct Places: Sendable {
    var image: Subscription<ImageResult>
    var original: Subscription<OriginalData>?
    /// The stale response that the observer has received.
    var stale: ImageResponse?

    func leave() {
      image.leave()
      original?.leave()
    }
  }

  let request: ImageRequest
  private let pipeline: ImagePipeline
  private let priority: LivePriority
  private let watch: RequestInstrumentation?
  /// The number of the work, where requests do not share it: the observers of one load do.
  private let number: Int?
  private let state = Lock(State())

  init(pipeline: ImagePipeline, request: ImageRequest) {
    self.pipeline = pipeline
    self.request = request
    priority = LivePriority(request.priority.taskPriority)
    watch = pipeline.context.watch.map { RequestInstrumentation($0, .events, request) }
    number = pipeline.configuration.sharesWork ? nil : pipeline.context.counters.nextNumber()
  }

  deinit {
    let (kept, isUnfinished) = state.withLock { ($0.kept, $0.start != nil && $0.ending == nil) }
    kept?.leave()
    if isUnfinished { watch?.end(.cancelled) }
  }

  var requestPriority: ImageRequest.Priority {
    get { ImageRequest.Priority(rawValue: priority.value.rawValue) ?? request.priority }
    set { priority.set(newValue.taskPriority) }
  }

  /// Returns a subscription to the job of the request, or the ending of the load.
  func enter() async throws -> Entrance {
    let (ending, isFirst, kept) = state.withLock { state -> (Ending?, Bool, Places?) in
      let isFirst = state.ending == nil && state.start == nil
      if state.ending == nil {
        state.visitors += 1
        if isFirst { state.start = pipeline.context.elapsed() }
      }
      return (state.ending, isFirst, state.kept.take())
    }
    if isFirst { watch?.begin() }
    if let ending { return .ended(try ending.events.get()) }
    if let kept {
      kept.image.startOver()
      return .visit(Visit(self, kept))
    }
    if let response = pipeline.memoryResponse(for: request), pipeline.isOpen {
      defer { leave() }
      return .ended(try end(.response(response)).events.get())
    }
    do {
      let want = try options()
      let visit = try await RequestInstrumentation.within(watch) {
        var original: Subscription<OriginalData>?
        if request.includesData {
          original = try pipeline.subscribeToOriginal(of: request, want.with { $0.keepsValue = true })
        }
        do {
          let place = try pipeline.context.subscribe(to: request, want: want)
          original?.letGo()
          return Visit(self, Places(image: place, original: original, stale: nil))
        } catch {
          original?.leave()
          throw error
        }
      }
      return .visit(visit)
    } catch {
      defer { leave() }
      // Neither the cancellation nor the refusal of one observer ends the load for the others.
      if !(error is CancellationError), state.withLock({ $0.visitors == 1 }) { end(.failure(error)) }
      throw error
    }
  }

  /// Returns the subscription options of an observer.
  private func options() throws -> SubscriptionOptions {
    var options = try pipeline.want(request, priority: priority, watchesProgress: true)
    if let number { options.number = number }
    return options
  }

  /// Sets the ending, unless there is one, and returns the effective one.
  @discardableResult private func end(_ ending: Ending) -> Ending {
    let (first, isFirst) = state.withLock { state in
      let isFirst = state.ending == nil
      let first = state.ending ?? ending
      state.ending = first
      return (first, isFirst)
    }
    if isFirst { watch?.end(first.outcome) }
    return first
  }

  /// Records that an observer has left. The subscriptions of the last one before the end are kept, as long
  /// as they are useful.
  private func leave(_ places: Places? = nil) {
    let isKept = state.withLock { state in
      state.visitors -= 1
      guard state.visitors == 0, state.ending == nil, let places else { return false }
      state.kept = places
      return true
    }
    if !isKept { places?.leave() }
  }

  /// One observer's visit, ended when the observer is released.
  final class Visit: Sendable {
    private let session: ImageSession
    private struct State {
      var places: Places
      /// The stale response that an earlier observer has received, and this one has not.
      var replay: ImageResponse?
      /// Decides which progress is reported.
      var gate: ProgressThrottle
      /// The number of failed subscriptions.
      var attempts = 0
      /// Whether the visit is over, because the task was cancelled or the load failed.
      var isOver = false
    }
    private let state: Lock<State>

    init(_ session: ImageSession, _ places: Places) {
      self.session = session
      let gate = ProgressThrottle(step: session.request.progressStep)
      state = Lock(State(places: places, replay: places.stale, gate: gate))
    }

    deinit {
      let (places, isOver) = state.withLock { ($0.places, $0.isOver) }
      // A stream that is cancelled between two elements releases its visit without another call of `next()`.
      if isOver || Task.isCancelled {
        places.leave()
        session.leave()
      } else {
        session.leave(places)
      }
    }

    /// Returns the next event, and whether it is the last.
    func next() async throws -> (event: ImageLoad.Event, isLast: Bool) {
      if let replay = state.withLock({ $0.replay.take() }) { return (.response(replay), false) }
      while true {
        do {
          if let next = try await nextSignal() { return next }
        } catch {
          if subscribesAgain(after: error) { continue }
          let error = session.pipeline.told(error, session.request)
          let stale = state.withLock { state in
            state.isOver = true
            return state.places.stale
          }
          // Cancelling one observer does not end the load for the others.
          if error is CancellationError { throw error }
          if let stale { return try last(session.end(.refreshFailed(stale.revalidating(false), error))) }
          session.end(.failure(error))
          throw error
        }
      }
    }

    /// Subscribes to another job after a failure of one that a request with another URL led: it says nothing about the URL
    /// of this request.
    ///
    /// - Returns: Whether there is another subscription.
    private func subscribesAgain(after error: any Error) -> Bool {
      let (places, attempts) = state.withLock { state in
        state.attempts += 1
        return (state.places, state.attempts)
      }
      let start = session.state.withLock { $0.start } ?? .zero
      let (pipeline, request) = (session.pipeline, session.request)
      var leader = places.image.job.leader
      if let original = places.original, original.job.leader != request.source {
        leader = original.job.leader
      }
      guard places.stale == nil,
        pipeline.isWorthAnother(
          attempts, after: error, request, since: start, deadline: request.deadline.map { start + $0 },
          leader: leader),
        let options = try? session.options()
      else { return false }
      var original: Subscription<OriginalData>?
      if places.original != nil {
        let options = options.with { $0.keepsValue = true }
        guard let again = try? pipeline.subscribeToOriginal(of: request, options) else { return false }
        original = again
      }
      guard let image = try? pipeline.context.subscribe(to: request, want: options) else {
        original?.leave()
        return false
      }
      original?.letGo()
      places.image.leave()
      places.original?.leave()
      state.withLock { ($0.places.image, $0.places.original) = (image, original) }
      return true
    }

    /// Returns the next event; `nil` for one that this observer is not to see.
    private func nextSignal() async throws -> (event: ImageLoad.Event, isLast: Bool)? {
      let (pipeline, request, places) = (session.pipeline, session.request, state.withLock { $0.places })
      let place = places.image
      return try await limited(places) { deadline in
        let signal = try await place.next(request.previews == .off ? .basic : .all)
        switch signal {
        case .started: return (.started, false)
        case .arrived(let arrival):
          let progress = arrival.progress
          let isReported = state.withLock { $0.gate.admits(progress.received, of: progress.expected) }
          return isReported ? (.progress(progress), false) : nil
        case .preview(let preview): return (.preview(preview), false)
        case .interim(let made):
          let response = try await pipeline.delivery(
            of: made, from: place, isInterim: true, for: request, original: places.original,
            deadline: deadline
          ).response.revalidating(true)
          state.withLock { $0.places.stale = response }
          return (.response(response), false)
        case .ended(let made):
          let response = try await pipeline.delivery(
            of: made, from: place, isInterim: false, for: request, original: places.original,
            deadline: deadline
          ).response
          guard let stale = state.withLock({ $0.places.stale }) else {
            return try last(session.end(.response(response)))
          }
          if let failure = made.provenance.failure {
            return try last(session.end(.refreshFailed(stale.revalidating(false), failure)))
          }
          return try last(session.end(made.isConfirmed ? .confirmed(response) : .response(response)))
        }
      }
    }

    /// Returns the last event of an observer that joined before the end.
    private func last(_ ending: Ending) throws -> (event: ImageLoad.Event, isLast: Bool) {
      switch ending {
      // Another observer may have seen a different response; this one only needs a response of its own.
      case .response(let response): (.response(response), true)
      case .confirmed(let response):
        state.withLock({ $0.places.stale }) == nil ? (.response(response), true) : (.confirmed, true)
      case .refreshFailed(let response, let error):
        state.withLock({ $0.places.stale }) == nil
          ? (.response(response), true) : (.refreshFailed(error), true)
      case .failure(let error): throw error
      }
    }

    /// Waits no longer than the deadline of the request.
    private func limited<Value>(
      _ places: Places, _ body: (Deadline?) async throws -> Value
    ) async throws -> Value {
      let (pipeline, request) = (session.pipeline, session.request)
      let start = session.state.withLock { $0.start } ?? .zero
      let deadline = Deadline(of: request, since: start, in: pipeline.context)
      defer { deadline?.end() }
      deadline?.limit(places.image)
      if let original = places.original { deadline?.limit(original) }
      return try await body(deadline)
    }
  }
}

extension ImageSession.Ending {
  /// The events for an observer that joins after the end.
  var events: Result<[ImageLoad.Event], any Error> {
    switch self {
    case .response(let response), .confirmed(let response): .success([.response(response)])
    case .refreshFailed(let response, let error): .success([.response(response), .refreshFailed(error)])
    case .failure(let error): .failure(error)
    }
  }

  /// The outcome for observers of the pipeline.
  var outcome: ImagePipeline.RequestOutcome {
    switch self {
    case .response(let response), .confirmed(let response): ImagePipeline.RequestOutcome(response)
    case .refreshFailed(_, let error), .failure(let error): ImagePipeline.RequestOutcome(error)
    }
  }
}
