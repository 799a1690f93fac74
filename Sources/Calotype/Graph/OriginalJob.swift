import CalotypeCaching
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Finds one original on disk, or loads it.
struct OriginalJob: Sendable {
  let context: PipelineContext
  let job: Job<OriginalData>
  let plan: ResolvedRequest
  let policy: ImageRequest.CachePolicy
  let log = StageLog()
  /// The newest purge when the job began.
  let epoch: Int

  init(
    context: PipelineContext, job: Job<OriginalData>, plan: ResolvedRequest, policy: ImageRequest.CachePolicy
  ) {
    self.context = context
    self.job = job
    self.plan = plan
    self.policy = policy
    epoch = context.purges.withLock { $0.now }
  }

  /// - Parameter turn: A slot among the loads, if the job has one already.
  func run(turn: WorkQueue.Turn?) async {
    var turn = turn
    defer { turn?.end() }
    do {
      job.publishStart()
      var (kept, reservation) = await context.readOriginal(plan, policy: policy, log, for: job.priority)
      let step = context.sourceStep(for: plan.request, policy: policy, kept: kept)
      context.count(step, policy: policy)
      switch step {
      case .use(let stored):
        job.keep(reservation.map { [$0] } ?? [])
        job.finish(.success(found(stored, reservation)))
      case .fail(let error):
        throw error
      case .useThenAsk(let stored, let conditional):
        let stale = found(stored, reservation)
        guard case .allow = try await context.loadDecision(for: plan.request) else {
          return job.finish(.success(stale))
        }
        // Subscribers that accept a stale original may leave; the revalidated one is for the next request.
        let place = job.join(SubscriptionOptions(JobRequirements(), priority: .veryLow))
        defer { place?.leave() }
        // While the server is asked, the original is held only until the memory is needed elsewhere.
        let slot = context.arriving.add()
        defer { context.arriving.remove(slot) }
        kept = kept?.withoutData
        job.publish(interim: stale)
        if !slot.keep(reservation, drop: { [weak job] in job?.dropInterim() }) { job.dropInterim() }
        reservation = nil
        do {
          guard try await askTogether(kept: kept, conditional, turn: turn.take(), waits: false) else {
            // Another node asks. The stale original is there for its next request.
            return await finishStale(kept, slot.handOver())
          }
        } catch {
          if let held = slot.handOver() {
            // A subscriber that has not been scheduled yet still has to find the stale original.
            job.keep(held)
          } else if let error = error as? LoadingError, let stale = await staleInstead(of: error, kept) {
            return job.finish(.success(stale))
          }
          throw error
        }
      case .ask(let conditional):
        try Task.checkCancellation()
        try await context.checkMayLoad(plan.request)
        // No bytes are held while the server is asked; the record stays on disk.
        kept = kept?.withoutData
        reservation?.release()
        do {
          _ = try await askTogether(kept: kept, conditional, turn: turn.take(), waits: true)
        } catch let error as LoadingError {
          guard let stale = await staleInstead(of: error, kept) else { throw error }
          job.finish(.success(stale))
        }
      }
    } catch {
      job.finish(.failure(failure(error)))
    }
  }

  /// Returns the error for the callers. Callers who have not cancelled anything would take the cancellation of a load by
  /// its loader for their own.
  private func failure(_ error: any Error) -> any Error {
    guard !Task.isCancelled, error is CancellationError else {
      return Task.isCancelled ? CancellationError() : error
    }
    let (source, reason) = (plan.request.source, "the loader cancelled the load")
    return source.url.map { LoadingError.connectionFailed($0, reason: reason) }
      ?? LoadingError.sourceFailed(source, reason: reason)
  }

  /// Returns the stale original after a failed load, where stale-if-error is allowed.
  private func staleInstead(of error: LoadingError, _ kept: CachedOriginal?) async -> OriginalData? {
    guard
      let (stale, reservation) = await context.staleOriginal(
        insteadOf: error, kept, plan, policy: policy, log, for: job.priority)
    else { return nil }
    job.keep(reservation.map { [$0] } ?? [])
    return found(stale, reservation)
  }

  private func found(_ stored: UsableOriginal, _ reservation: MemoryReservation?) -> OriginalData {
    context.counters.count { $0.originalHits += 1 }
    var provenance = stored.provenance
    provenance.url = stored.metadata.url(for: plan.request)
    provenance.epoch = epoch
    return OriginalData(
      data: stored.data, source: .diskOriginal, metadata: stored.metadata, provenance: provenance, log: log,
      reservedBytes: reservation?.bytes ?? 0)
  }

  /// Loads the original, or takes it from the node that does.
  ///
  /// - Returns: Whether the job has ended. Else, another node is at work, and this one does not wait.
  private func askTogether(
    kept: CachedOriginal?, _ conditional: HTTPFields, turn: WorkQueue.Turn?, waits: Bool
  ) async throws -> Bool {
    var turn = turn
    defer { turn?.end() }
    let nodes = context.configuration.nodes
    // Without a cache that takes the bytes, others would wait for nothing.
    guard nodes.flights != nil, nodes.sharesOriginals?() != false else {
      _ = try await ask(kept: kept, conditional, turn: turn.take())
      return true
    }
    // Other loads may use the slot in the meantime.
    turn.take()?.end()
    switch await context.flight(for: plan.request.sourceKey, plan, policy: policy, waits: waits) {
    case .lead(nil): break
    case .lead(let lease?):
      do {
        let loaded = try await ask(kept: kept, conditional, turn: nil)
        switch loaded.log.stores.original {
        case .stored: await lease.end(with: loaded.data, loaded.metadata, at: context.configuration.now())
        default: await lease.lease.end(.isPrivate)
        }
      } catch {
        await lease.end(with: error)
        throw error
      }
      return true
    case .busy: return false
    case .failed(let error): throw error
    case .record(let record):
      guard let kept = CachedOriginal(record) else { break }
      let step = context.sourceStep(for: plan.request, policy: policy, kept: kept)
      let reservation = try await context.memory.reserve(record.data.count, in: .encoded)
      if finish(with: step, reservation) { return true }
      reservation?.release()
    case .stored:
      for wait in FlightOutcome.readPauses {
        try await context.configuration.clock.sleep(for: wait)
        let (kept, reservation) = await context.readOriginal(plan, policy: policy, log, for: job.priority)
        if finish(with: context.sourceStep(for: plan.request, policy: policy, kept: kept), reservation) {
          return true
        }
        reservation?.release()
      }
    }
    _ = try await ask(kept: kept, conditional, turn: nil)
    return true
  }

  /// Finishes with an original that another node has loaded, if it is good enough.
  private func finish(with step: SourceStep, _ reservation: MemoryReservation?) -> Bool {
    guard case .use(let stored) = step else { return false }
    job.keep(reservation.map { [$0] } ?? [])
    job.finish(.success(found(stored, reservation)))
    return true
  }

  /// Finishes with the stale original, whose memory may have been given up meanwhile.
  private func finishStale(_ kept: CachedOriginal?, _ held: [MemoryReservation]?) async {
    if let held { job.keep(held) }
    let (again, reservation) = await context.readOriginal(plan, policy: policy, log, for: job.priority)
    guard let again, again.isImage else {
      return job.finish(.failure(PipelineError.notCached(plan.request.source.description)))
    }
    job.keep(reservation.map { [$0] } ?? [])
    job.finish(.success(found(again.judged(isStale: true), reservation)))
  }

  /// Loads the original, or waits for the job that does, and stays until it is stored.
  private func ask(
    kept: CachedOriginal?, _ conditional: HTTPFields, turn: WorkQueue.Turn?
  ) async throws -> OriginalData {
    var turn = turn
    defer { turn?.end() }
    let validators = kept.flatMap { known(of: $0, conditional) }
    var attempts = 0
    while true {
      attempts += 1
      if let loaded = try await load(kept: kept, validators, turn: &turn, isLast: attempts == 3) {
        return loaded
      }
    }
  }

  /// Performs a load, or joins one.
  ///
  /// - Parameter isLast: Whether the cancellation of a joined load, or its failure with another URL, is an error.
  /// - Returns: The original; `nil` if the load was cancelled in the instant before this job joined it, with the task of
  ///   another job, or failed for another URL.
  private func load(
    kept: CachedOriginal?, _ validators: LoadRequest.Validators?, turn: inout WorkQueue.Turn?, isLast: Bool
  ) async throws -> OriginalData? {
    let key = JobKey.load(
      plan.request, in: context.configuration.decodeLimits, policy: policy, validators: validators,
      number: job.number)
    let (place, new) = try context.jobs.loads.join(key, SubscriptionOptions(of: job)) {
      _ = try context.jobs.begin(isOfJob: true)
      return Job(
        number: job.number, leader: plan.request.source, mayOutlive: true, isOfJob: true, start: job.start)
    }
    defer { place.leave() }
    if let new {
      let held = turn.take()
      // The load is a part of this task, which continues as long as either job has subscribers.
      await job.carry(new, leave: { place.leave() }) {
        await LoadJob(
          context: context, job: new, plan: plan, policy: policy, kept: kept, validators: validators
        ).run(turn: held) { result in
          switch result {
          case .success(let loaded): finish(with: place, loaded)
          // A stale original may replace one that could not be loaded.
          case .failure(let error as LoadingError) where kept != nil && error.saysNothingOfTheImage: break
          case .failure(let error): job.finish(.failure(failure(error)))
          }
        }
      }
      context.jobs.ended(isOfJob: true)
    }
    turn.take()?.end()
    let loaded: OriginalData
    do {
      loaded = try await place.value()
    } catch is CancellationError where new == nil && !Task.isCancelled && !isLast {
      return nil
    } catch is LoadingError where place.job.leader != plan.request.source && !Task.isCancelled && !isLast {
      // Keys may leave out parts of the URL: a failure of another URL says nothing about this one.
      return nil
    }
    finish(with: place, loaded)
    // Requests that do not find the original on disk yet have to find this job.
    if new == nil { await place.job.waitUntilStored() }
    return loaded
  }

  /// Returns the validators for revalidation: those of the stored original, or of the resource that
  /// redirects led to.
  private func known(of kept: CachedOriginal, _ conditional: HTTPFields) -> LoadRequest.Validators? {
    if kept.isPurged { return nil }
    if !conditional.isEmpty {
      return LoadRequest.Validators(
        etag: conditional[.ifNoneMatch], lastModified: conditional[.ifModifiedSince])
    }
    let headers = plan.request.headers
    guard kept.isImage, let target = kept.metadata.target, kept.metadata.response?.matches(headers) == true
    else { return nil }
    return target.validators(
      at: context.configuration.now(),
      mayUseFresh: !headers.contains(.cacheControl) && !headers.contains(.pragma))
  }

  /// Finishes with the loaded original, and keeps its reservations.
  private func finish(with place: Subscription<OriginalData>, _ loaded: OriginalData) {
    guard !job.isFinished else { return }
    loaded.log.change { $0[.read] += log.timings[.read] }
    job.keep(place.job.reservations)
    job.finish(.success(loaded))
    // Bytes that are being stored are counted as stores.
    place.letGo()
  }
}
