import CalotypeCaching
import CalotypeLoading
import HTTPTypes

/// Finds one original on disk, or has it loaded.
extension ImagePipeline {
  @concurrent
  nonisolated func runOriginalJob(_ job: Job<LoadedSource>, _ plan: Plan, policy: CachePolicy) async {
    let log = StageLog()
    var ownPlace: Subscription<LoadedSource>?
    defer { ownPlace?.leave() }
    do {
      job.publishStart()
      var kept: KeptOriginal?
      if policy.readsCaches, plan.request.queryTiers.contains(.originals), let cache = plan.originals {
        kept = await readRecord(plan.request.sourceKey, from: cache, plan, log).flatMap { KeptOriginal($0) }
      }
      switch sourceStep(for: plan.request, policy: policy, kept: kept) {
      case .use(let stored):
        job.finish(.success(found(stored, log)))
      case .fail(let error):
        throw error
      case .useThenAsk(let stored, let conditional):
        let stale = found(stored, log)
        guard case .allow = try await loadDecision(plan) else { return job.finish(.success(stale)) }
        // Who is content with what is stale may leave; what the server says is for the next one.
        ownPlace = job.hold()
        job.publish(interim: stale)
        try await ask(plan, policy: policy, kept: kept, conditional, log, for: job)
      case .ask(let conditional):
        try Task.checkCancellation()
        if case .deny(let reason) = try await loadDecision(plan) {
          throw PipelineError.loadDenied(plan.request.source.description, reason: reason)
        }
        do {
          try await ask(plan, policy: policy, kept: kept, conditional, log, for: job)
        } catch let error as LoadingError {
          // What is stale takes its place where that is allowed.
          guard !Task.isCancelled, let kept, let response = kept.record.metadata.response,
            error.saysNothingOfTheImage,
            freshness(for: plan.request).mayServeOnError(
              response, for: plan.request.headers, now: configuration.now())
          else { throw error }
          counters.count { $0.staleHits += 1 }
          var stale = kept.judged(isStale: true)
          stale.provenance.failure = error
          job.finish(.success(found(stale, log)))
        }
      }
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
    }
  }

  private nonisolated func loadDecision(_ plan: Plan) async throws -> LoadDecision {
    let decision = try await configuration.shouldLoad?(plan.request) ?? .allow
    try Task.checkCancellation()
    return decision
  }

  private nonisolated func found(_ stored: StoredOriginal, _ log: StageLog) -> LoadedSource {
    counters.count { $0.originalHits += 1 }
    return LoadedSource(
      data: stored.record.data, source: .diskOriginal, metadata: stored.record.metadata,
      provenance: stored.provenance, log: log, allowance: loads.take(bytes: stored.record.data.count))
  }

  /// Waits for the job that loads it, passes on how far that is and what comes of it, and stays until that is stored.
  private nonisolated func ask(
    _ plan: Plan, policy: CachePolicy, kept: KeptOriginal?, _ conditional: HTTPFields, _ log: StageLog,
    for job: Job<LoadedSource>
  ) async throws {
    var validators: Validators?
    if kept != nil, !conditional.isEmpty {
      validators = Validators(
        etag: conditional[.ifNoneMatch], lastModified: conditional[.ifModifiedSince])
    }
    let place = try await subscribe(
      toLoadOf: plan, policy: policy, kept: kept, validators: validators, want: Want(of: job))
    defer { place.leave() }
    while true {
      switch try await place.next(.progress) {
      case .arrived(let arrival): job.publish(arrival)
      case .started, .preview, .interim: continue
      case .ended(let loaded):
        loaded.log.change { $0[.read] += log.timings[.read] }
        let ownPlace = job.hold()
        defer { ownPlace?.leave() }
        job.finish(.success(loaded))
        // Whoever does not find it on disk yet has to find it here.
        await place.jobHasSettled()
        return
      }
    }
  }
}
