import CalotypeCaching

/// The work of a pipeline for a ``Prefetcher``.
extension ImagePipeline {
  /// Returns a request as it is prefetched: without properties that only matter to the receiver of the
  /// result.
  nonisolated func prefetched(_ request: ImageRequest) -> ImageRequest {
    var request = prepared(request)
    var rules = request.rules
    rules.priority = .low
    rules.includesData = false
    rules.previews = .off
    rules.storeDurability = .none
    // Each change makes a copy.
    if rules != request.rules { request.rules = rules }
    return request
  }

  /// Fetches the image of an item.
  nonisolated func prefetch(
    _ item: PrefetchItem, to destination: Prefetcher.Destination
  ) async -> Prefetch.Outcome {
    let request = item.request
    do {
      // Before the caches are asked: their entries may be older than the rule.
      try (request.loader?.part ?? configuration.loader).check(request.source)
      let isCached = await isPrefetched(request, to: destination)
      if item.isCancelled { return .cancelled }
      if isCached { return .skipped }
      return try await withDeadline(of: request) { deadline in
        switch destination {
        case .disk: try await fetchOriginal(item, deadline)
        case .memory: try await fetchImage(item, deadline)
        }
      }
    } catch {
      return item.isCancelled || error is CancellationError ? .cancelled : .failed(error)
    }
  }

  private nonisolated func fetchOriginal(
    _ item: PrefetchItem, _ deadline: Deadline?
  ) async throws -> Prefetch.Outcome {
    let request = item.request
    var demand = JobRequirements(request)
    demand.tiers = request.cachePolicy.writesCaches ? .originals : []
    let place = try context.subscribe(
      toOriginalOf: ResolvedRequest(request, configuration), policy: request.cachePolicy,
      want: SubscriptionOptions(demand, priority: item.priority))
    defer { place.leave() }
    item.hold(place)
    deadline?.limit(place)
    let loaded = try await place.firstValue().0
    try await settle(place, deadline)
    if case .failed(let code) = loaded.log.stores.original {
      throw PipelineError.notStored(request.source.description, code: code)
    }
    return loaded.source == .loader ? .loaded(byteCount: loaded.data.count) : .skipped
  }

  private nonisolated func fetchImage(
    _ item: PrefetchItem, _ deadline: Deadline?
  ) async throws -> Prefetch.Outcome {
    let request = item.request
    return try await retried(request, within: deadline) {
      let place = try context.subscribe(
        to: request, want: SubscriptionOptions(JobRequirements(request), priority: item.priority))
      item.hold(place)
      deadline?.limit(place)
      return place
    } use: { place in
      try await fetchImage(request, from: place, deadline)
    }
  }

  private nonisolated func fetchImage(
    _ request: ImageRequest, from place: Subscription<ImageResult>, _ deadline: Deadline?
  ) async throws -> Prefetch.Outcome {
    let (made, isInterim) = try await place.firstValue()
    _ = try await delivery(
      of: made, from: place, isInterim: isInterim, for: request, original: nil, deadline: deadline)
    if ResolvedRequest(request, configuration).memory == nil || !request.storeTiers.contains(.memory) {
      // Stored on disk only.
      try await settle(place, deadline)
      if case .failed(let code) = made.log.stores.disk {
        throw PipelineError.notStored(request.source.description, code: code)
      }
    }
    return made.source == .memory ? .skipped : .loaded(byteCount: made.byteCount)
  }

  /// Waits until the job has stored its result: a prefetch is useful only then.
  private nonisolated func settle<Value>(_ place: Subscription<Value>, _ deadline: Deadline?) async throws {
    let job = place.job
    try await Deadline.run(within: deadline) { await job.waitUntilStored() }
  }

  /// Returns whether the caches already have the entries, good enough for the request. Nothing is decoded
  /// for the check, and reading a possibly stale original is left to the job, which does so anyway.
  private nonisolated func isPrefetched(
    _ request: ImageRequest, to destination: Prefetcher.Destination
  ) async -> Bool {
    guard request.cachePolicy.readsCaches, !request.hasCacheDirectives else { return false }
    let plan = ResolvedRequest(request, configuration)
    if destination == .disk {
      return request.trustsAge ? await plan.cachedTiers.contains(.originals) : false
    }
    if let memory = plan.memory, request.storeTiers.contains(.memory) {
      return memory.value(for: request.key, allowingStale: request.trustsAge, now: configuration.now()) != nil
    }
    if request.trustsAge { return await plan.cachedTiers.contains(.disk) }
    guard let key = plan.resultKey, let record = try? await plan.disk?.read(key) else { return false }
    guard let response = record.metadata.response else { return true }
    let decision = context.freshness(for: request).decision(
      for: request.headers, stored: response, now: configuration.now())
    return switch decision {
    case .fresh, .stale: true
    default: false
    }
  }
}
