import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// What a caller gets of a job: one response or one error, by the rules of its own request.
extension ImagePipeline {
  /// What a request wants of its jobs.
  nonisolated func want(
    _ request: ImageRequest, priority: LivePriority? = nil, watchesProgress: Bool = false
  ) -> Want {
    var demand = Demand(request)
    demand.watchesProgress = watchesProgress
    var want = Want(demand, priority: priority ?? LivePriority(request.priority.taskPriority))
    if !configuration.sharesWork { want.number = counters.nextNumber() }
    return want
  }

  nonisolated func makeResponse(for request: ImageRequest) async throws -> ImageResponse {
    try await withDeadline(of: request) { deadline in
      let want = want(request)
      // First, so that the image is made of the same bytes.
      var original: Subscription<LoadedSource>?
      if request.includesData {
        original = try await subscribe(
          toOriginalOf: Plan(request, configuration), policy: request.cachePolicy, want: want)
      }
      defer { original?.leave() }
      let place = try await subscribe(to: request, want: want)
      defer { place.leave() }
      deadline?.limit(place)
      if let original { deadline?.limit(original) }
      let (made, isInterim) = try await place.firstValue()
      return try await response(made, isInterim: isInterim, for: request, original: original)
    }
  }

  /// A made image as this request wants it.
  ///
  /// - Throws: ``PipelineError/unexpectedKind(_:expected:)``; what the load of the original throws.
  nonisolated func response(
    _ made: MadeImage, isInterim: Bool, for request: ImageRequest, original: Subscription<LoadedSource>?
  ) async throws -> ImageResponse {
    if let expected = request.expectedKind, let info = made.image.info {
      let kind: ImageKind = info.frameCount > 1 ? .animated : .still
      if kind != expected { throw PipelineError.unexpectedKind(kind, expected: expected) }
    }
    var data: Data?
    if let original { data = try await original.firstValue().0.data }
    var stores: StoreOutcomes?
    if !isInterim, request.storeDurability != .none {
      await windUp(request)
      if request.storeDurability == .flushed { try await flushCaches(of: Plan(request, configuration)) }
      stores = made.log.stores
    }
    return ImageResponse(
      image: made.image, animation: made.animation, data: data, source: made.source,
      byteCount: made.byteCount, duration: made.duration, isStale: made.provenance.isStale,
      timings: made.log.timings, stores: stores)
  }

  private nonisolated func flushCaches(of plan: Plan) async throws {
    for cache in [plan.caches.disk, plan.caches.originals] {
      do {
        try await cache?.writable?.flush()
      } catch {
        counters.count(cacheError: error)
        throw error
      }
    }
  }

  /// Runs `body`, which tells what it waits for: when the time of the request is over, that ends.
  ///
  /// - Throws: ``PipelineError/deadlineExceeded(_:after:)``; what `body` throws.
  nonisolated func withDeadline<Value>(
    of request: ImageRequest, _ body: (Deadline?) async throws -> Value
  ) async throws -> Value {
    guard let limit = request.deadline else { return try await body(nil) }
    let deadline = Deadline(
      PipelineError.deadlineExceeded(request.source.description, after: limit))
    return try await withDeadline(deadline, in: limit) { try await body(deadline) }
  }

  /// Runs `body`, and ends what it waits for after some time.
  nonisolated func withDeadline<Value>(
    _ deadline: Deadline, in limit: Duration, _ body: () async throws -> Value
  ) async throws -> Value {
    let clock = configuration.clock
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await clock.sleep(for: limit, tolerance: nil)
        deadline.pass()
      }
      defer { group.cancelAll() }
      return try await body()
    }
  }
}

/// The end of a caller's patience.
final class Deadline: Sendable {
  private let error: PipelineError
  private let state = Lock((hasPassed: false, ends: [@Sendable (PipelineError) -> Void]()))

  init(_ error: PipelineError) {
    self.error = error
  }

  /// Ends a place, when the time has come.
  func limit<Value>(_ place: Subscription<Value>) {
    let hasPassed = state.withLock { state in
      if !state.hasPassed { state.ends.append { place.leave($0) } }
      return state.hasPassed
    }
    if hasPassed { place.leave(error) }
  }

  func pass() {
    let ends = state.withLock { state in
      state.hasPassed = true
      defer { state.ends = [] }
      return state.ends
    }
    for end in ends { end(error) }
  }
}
