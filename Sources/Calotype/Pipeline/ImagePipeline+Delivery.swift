import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// What a caller gets of a job: one response or one error, by the rules of its own request.
extension ImagePipeline {
  /// What a request wants of its jobs.
  ///
  /// - Throws: ``PipelineError/overloaded(_:waiting:retryAfter:)``, ``PipelineError/shutDown``; what the loader's check of
  ///   the source throws; `CancellationError` when the task is cancelled already: nothing is begun for it.
  @inline(never)
  nonisolated func want(
    _ request: ImageRequest, priority: LivePriority? = nil, watchesProgress: Bool = false
  ) throws -> SubscriptionOptions {
    try Task.checkCancellation()
    // Before caches are asked: what they have may be older than the rule.
    try (request.loader?.part ?? configuration.loader).check(request.source)
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
    if !configuration.sharesWork { want.number = context.counters.nextNumber() }
    return want
  }

  /// What a request gets of its jobs.
  ///
  /// Thousands may wait here, and what an asynchronous function has made is part of what its task keeps meanwhile: all that
  /// needs more room is in functions of its own.
  nonisolated func delivery(for request: ImageRequest) async throws -> Delivery {
    if request.includesData { return try await deliveryWithData(for: request) }
    return try await plainDelivery(for: request)
  }

  /// Of a request that wants the image alone.
  @inline(never)
  private nonisolated func plainDelivery(for request: ImageRequest) async throws -> Delivery {
    var attempts = 0
    let call = request.timeouts.total == nil ? .zero : context.elapsed()
    let deadline = Deadline(of: request, in: context)
    defer { deadline?.end() }
    while true {
      // Left as soon as it is not held any more.
      let place = try subscribe(to: request, within: deadline)
      do {
        let (made, isInterim) = try await place.firstValue()
        try checkKind(of: made, for: request)
        if isInterim || request.storeDurability == .none { return Delivery(made, data: nil, stores: nil) }
        return try await storedDelivery(of: made, from: place, for: request, data: nil, deadline: deadline)
      } catch {
        attempts += 1
        guard isWorthAnother(attempts, after: error, request, since: call, leader: place.job.leader) else {
          throw told(error, deadline)
        }
      }
    }
  }

  @inline(never)
  private nonisolated func deliveryWithData(for request: ImageRequest) async throws -> Delivery {
    let want = try want(request)
    return try await withDeadline(of: request) { deadline in
      // First, so that the image is made of the same bytes.
      let original = try subscribeToOriginal(of: request, want)
      defer { original.leave() }
      deadline?.limit(original)
      return try await retried(request) {
        let place = try context.subscribe(to: request, want: want)
        deadline?.limit(place)
        return place
      } use: { place in
        let (made, isInterim) = try await place.firstValue()
        return try await delivery(
          of: made, from: place, isInterim: isInterim, for: request, original: original, deadline: deadline)
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

  /// Uses a place in a job; in another one if that was led by a request with another URL and could not load it.
  ///
  /// Keys may leave a part of the URL out, such as a signature: that of another says nothing about ours.
  nonisolated func retried<Value, Result>(
    _ request: ImageRequest, _ subscribe: () throws -> Subscription<Value>,
    use: (Subscription<Value>) async throws -> Result
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
        guard isWorthAnother(attempts, after: error, request, since: call, leader: place.job.leader) else {
          throw error
        }
      }
    }
  }

  @inline(never)
  private nonisolated func isWorthAnother(
    _ attempts: Int, after error: any Error, _ request: ImageRequest, since call: Duration,
    leader: ImageSource?
  ) -> Bool {
    guard attempts < 3, !Task.isCancelled else { return false }
    switch error {
    // A load that was begun, or waited, for others counts from their call.
    case LoadingError.timedOut(_, .total, _):
      return request.timeouts.total.map { context.elapsed() - call < $0 } ?? false
    // Of those who were there before, who were in a hurry.
    case is DeadlineUnreachable: return request.deadline == nil
    case is LoadingError: return leader != request.source
    default: return false
    }
  }

  /// A made image as this request wants it.
  ///
  /// - Throws: ``PipelineError/unexpectedKind(_:expected:)``; what the load of the original throws.
  nonisolated func delivery(
    of made: ImageResult, from place: Subscription<ImageResult>, isInterim: Bool, for request: ImageRequest,
    original: Subscription<OriginalData>?, deadline: Deadline?
  ) async throws -> Delivery {
    try checkKind(of: made, for: request)
    let data = try await original?.firstValue().0.data
    if isInterim || request.storeDurability == .none { return Delivery(made, data: data, stores: nil) }
    return try await storedDelivery(of: made, from: place, for: request, data: data, deadline: deadline)
  }

  /// The same, once it is stored.
  @inline(never)
  private nonisolated func storedDelivery(
    of made: ImageResult, from place: Subscription<ImageResult>, for request: ImageRequest, data: Data?,
    deadline: Deadline?
  ) async throws -> Delivery {
    let job = place.job
    try await Deadline.run(within: deadline) {
      await job.waitUntilStored()
      if request.storeDurability == .flushed {
        try await self.flushCaches(of: ResolvedRequest(request, self.configuration))
      }
    }
    return Delivery(made, data: data, stores: made.log.stores)
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

  /// Runs `body`, which tells what it waits for: when the time of the request is over, that ends.
  ///
  /// - Throws: ``PipelineError/deadlineExceeded(_:after:)``; what `body` throws.
  nonisolated func withDeadline<Value>(
    of request: ImageRequest, _ body: (Deadline?) async throws -> Value
  ) async throws -> Value {
    let deadline = Deadline(of: request, in: context)
    defer { deadline?.end() }
    do {
      return try await body(deadline)
    } catch {
      throw told(error, deadline)
    }
  }

  /// An error of what was waited for, as the caller is told it.
  @inline(never)
  nonisolated func told(_ error: any Error, _ deadline: Deadline?) -> any Error {
    // Nobody had the time for it.
    if error is DeadlineUnreachable, let deadline { return deadline.error }
    return error
  }
}
