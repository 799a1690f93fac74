import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// The delivery of a job's result to a caller: one response or one error, by the rules of its own request.
extension ImagePipeline {
  /// Returns the subscription options of a request.
  ///
  /// - Throws: ``PipelineError/overloaded(_:waiting:retryAfter:)``, ``PipelineError/shutDown``; errors of
  ///   the loader's check of the source; `CancellationError` when the task is cancelled already: no work
  ///   begins for it.
  @inline(never)
  nonisolated func want(
    _ request: ImageRequest, priority: LivePriority? = nil, watchesProgress: Bool = false
  ) throws -> SubscriptionOptions {
    try Task.checkCancellation()
    // Before the caches are asked: their entries may be older than the rule.
    // An interceptor may send the request elsewhere.
    if request.interceptor == nil { try (request.loader?.part ?? configuration.loader).check(request.source) }
    guard let place = try context.jobs.admitCaller() else {
      throw PipelineError.overloaded(
        request.source.description, waiting: configuration.limits.callers,
        retryAfter: context.loads.predictedWait)
    }
    var demand = JobRequirements(request)
    demand.watchesProgress = watchesProgress
    var want =
      if let priority { SubscriptionOptions(demand, priority: priority) } else {
        SubscriptionOptions(demand, priority: request.priority)
      }
    want.caller = place
    want.deadline = request.deadline.map { context.elapsed() + $0 }
    if !request.cachePolicy.readsCaches { want.start = .now }
    if !configuration.sharesWork { want.number = context.counters.nextNumber() }
    return want
  }

  /// Returns the result of a request's jobs.
  ///
  /// Thousands of calls may wait here, and every local of an asynchronous function stays in the memory of
  /// its task meanwhile: everything that needs more memory is in separate functions.
  nonisolated func delivery(for request: ImageRequest) async throws -> Delivery {
    if request.includesData { return try await deliveryWithData(for: request) }
    return try await plainDelivery(for: request)
  }

  /// Delivers to a request that wants the image alone.
  @inline(never)
  private nonisolated func plainDelivery(for request: ImageRequest) async throws -> Delivery {
    var attempts = 0
    let call = request.timeouts.total == nil ? .zero : context.elapsed()
    let deadline = Deadline(of: request, in: context)
    defer { deadline?.end() }
    while true {
      // Left as soon as it is no longer held.
      let place = try subscribe(to: request, within: deadline)
      do {
        let (made, isInterim) = try await place.firstValue()
        try checkKind(of: made, for: request)
        if isInterim || request.storeDurability == .none { return Delivery(made, data: nil, stores: nil) }
        return try await storedDelivery(of: made, from: place, for: request, data: nil, deadline: deadline)
      } catch {
        attempts += 1
        guard
          isWorthAnother(
            attempts, after: error, request, since: call, deadline: deadline?.time, leader: place.job.leader)
        else { throw told(error, request) }
      }
    }
  }

  @inline(never)
  private nonisolated func deliveryWithData(for request: ImageRequest) async throws -> Delivery {
    let want = try want(request)
    return try await withDeadline(of: request) { deadline in
      // First, so that the image is made from the same bytes.
      try await retried(request, within: deadline) {
        let original = try subscribeToOriginal(of: request, want.with { $0.keepsValue = true })
        deadline?.limit(original)
        return original
      } use: { original in
        try await retried(request, within: deadline) {
          let place = try context.subscribe(to: request, want: want)
          original.letGo()
          deadline?.limit(place)
          return place
        } use: { place in
          let (made, isInterim) = try await place.firstValue()
          return try await delivery(
            of: made, from: place, isInterim: isInterim, for: request, original: original, deadline: deadline)
        }
      }
    }
  }

  @inline(never)
  private nonisolated func subscribe(
    to request: ImageRequest, within deadline: Deadline?
  ) throws -> Subscription<ImageResult> {
    let place = try context.subscribe(to: request, want: want(request))
    deadline?.limit(place)
    return place
  }

  @inline(never)
  nonisolated func subscribeToOriginal(
    of request: ImageRequest, _ want: SubscriptionOptions
  ) throws -> Subscription<OriginalData> {
    try context.subscribe(
      toOriginalOf: ResolvedRequest(request, configuration), policy: request.cachePolicy, want: want)
  }

  /// Uses a subscription to a job; if that job was led by a request with another URL and could not load it,
  /// uses one to another job.
  ///
  /// Keys may leave out parts of the URL, such as a signature: a failure of another URL says nothing about
  /// this one.
  nonisolated func retried<Value, Result>(
    _ request: ImageRequest, within deadline: Deadline?, _ subscribe: () throws -> Subscription<Value>,
    use: (Subscription<Value>) async throws -> Result, isRepeatable: () -> Bool = { true }
  ) async throws -> Result {
    var attempts = 0
    let call = request.timeouts.total == nil ? .zero : context.elapsed()
    while true {
      let place = try subscribe()
      defer { place.leave() }
      do {
        return try await use(place)
      } catch {
        attempts += 1
        guard isRepeatable(),
          isWorthAnother(
            attempts, after: error, request, since: call, deadline: deadline?.time, leader: place.job.leader)
        else { throw error }
      }
    }
  }

  @inline(never)
  nonisolated func isWorthAnother(
    _ attempts: Int, after error: any Error, _ request: ImageRequest, since call: Duration,
    deadline: Duration?, leader: ImageSource?
  ) -> Bool {
    guard attempts < 3, !Task.isCancelled else { return false }
    switch error {
    // A load that was begun, or waited, for others is timed from their call.
    case LoadingError.timedOut(_, .total, _), LoadingError.timedOut(_, .queue, _):
      return request.timeouts.total.map { context.elapsed() - call < $0 } ?? false
    // The deadline of earlier, more urgent callers.
    case let error as DeadlineUnreachable: return deadline.map { $0 > error.deadline } ?? true
    case is LoadingError: return leader != request.source
    default: return false
    }
  }

  /// Returns a made image as this request wants it.
  ///
  /// - Throws: ``PipelineError/unexpectedKind(_:expected:)``; errors of the load of the original.
  nonisolated func delivery(
    of made: ImageResult, from place: Subscription<ImageResult>, isInterim: Bool, for request: ImageRequest,
    original: Subscription<OriginalData>?, deadline: Deadline?
  ) async throws -> Delivery {
    try checkKind(of: made, for: request)
    let data = try await original?.firstValue().0.data
    if isInterim || request.storeDurability == .none { return Delivery(made, data: data, stores: nil) }
    return try await storedDelivery(of: made, from: place, for: request, data: data, deadline: deadline)
  }

  /// Returns the same delivery, once it is stored.
  @inline(never)
  private nonisolated func storedDelivery(
    of made: ImageResult, from place: Subscription<ImageResult>, for request: ImageRequest, data: Data?,
    deadline: Deadline?
  ) async throws -> Delivery {
    try await waitUntilStored(place.job, request, deadline)
    return Delivery(made, data: data, stores: made.log.stores)
  }

  /// Waits until everything that a job stores is as durable as the request demands.
  @inline(never)
  nonisolated func waitUntilStored<Value>(
    _ job: Job<Value>, _ request: ImageRequest, _ deadline: Deadline?
  ) async throws {
    if request.storeDurability == .none { return }
    try await Deadline.run(within: deadline) {
      await job.waitUntilStored()
      if request.storeDurability == .flushed {
        try await self.flushCaches(of: ResolvedRequest(request, self.configuration))
      }
    }
  }

  @inline(never)
  private nonisolated func checkKind(of made: ImageResult, for request: ImageRequest) throws {
    guard let expected = request.expectedKind, let info = made.image.info else { return }
    let kind: ImageResponse.Kind = info.frameCount > 1 ? .animated : .still
    if kind != expected { throw PipelineError.unexpectedKind(kind, expected: expected) }
  }

  private nonisolated func flushCaches(of plan: ResolvedRequest) async throws {
    for cache in [plan.caches.disk, plan.caches.originals] {
      do {
        try await cache?.writable?.flush()
      } catch {
        context.counters.count(cacheError: error)
        throw error
      }
    }
  }

  /// Runs `body`, which registers its subscriptions; they end when the deadline of the request has passed.
  ///
  /// - Throws: ``PipelineError/deadlineExceeded(_:after:)``; errors of `body`.
  nonisolated func withDeadline<Value>(
    of request: ImageRequest, _ body: (Deadline?) async throws -> Value
  ) async throws -> Value {
    let deadline = Deadline(of: request, in: context)
    defer { deadline?.end() }
    do {
      return try await body(deadline)
    } catch {
      throw told(error, request)
    }
  }

  /// Returns the error for the caller.
  @inline(never)
  nonisolated func told(_ error: any Error, _ request: ImageRequest) -> any Error {
    // The load was not begun, because no caller had the time for it.
    guard error is DeadlineUnreachable, let limit = request.deadline else { return error }
    return PipelineError.deadlineExceeded(request.source.description, after: limit)
  }
}

/// The result of a request for its caller. An object, so that waiting callers reserve no memory for its
/// parts.
final class Delivery: Sendable {
  let made: ImageResult
  private let data: Data?
  private let stores: ImageResponse.StoreOutcomes?

  init(_ made: ImageResult, data: Data?, stores: ImageResponse.StoreOutcomes?) {
    (self.made, self.data, self.stores) = (made, data, stores)
  }

  @inline(never)
  var image: Image { made.image }

  var response: ImageResponse {
    ImageResponse(
      image: made.image, animation: made.animation, data: data, source: made.source,
      original: ImageResponse.Original(made.provenance), byteCount: made.byteCount, duration: made.duration,
      isStale: made.provenance.isStale,
      timings: made.log.timings.delivered, stores: stores)
  }
}
