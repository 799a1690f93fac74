import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Loads one original, or has the server confirm the one that is kept.
struct LoadJob: Sendable {
  let context: PipelineContext
  let job: Job<OriginalData>
  let plan: ResolvedRequest
  let policy: ImageRequest.CachePolicy
  let kept: CachedOriginal?
  let validators: LoadRequest.Validators?
  /// The newest purge when it began.
  let epoch: Int

  init(
    context: PipelineContext, job: Job<OriginalData>, plan: ResolvedRequest, policy: ImageRequest.CachePolicy,
    kept: CachedOriginal?,
    validators: LoadRequest.Validators?
  ) {
    self.context = context
    self.job = job
    self.plan = plan
    self.policy = policy
    self.kept = kept
    self.validators = validators
    epoch = context.purges.withLock { $0.now }
  }

  /// - Parameters:
  ///   - turn: A place among the loads, if there is one already.
  ///   - ended: Called with what was loaded or what went wrong, before anything is stored.
  func run(turn: WorkQueue.Turn?, ended tell: (Result<OriginalData, any Error>) -> Void) async {
    _ = job.admit()
    // Who reads no caches does not know what is there.
    let mayBeThere =
      kept != nil || !plan.request.cachePolicy.readsCaches || !plan.request.readTiers.contains(.originals)
    do {
      let loaded = try await load(turn: turn)
      job.finish(.success(loaded))
      tell(.success(loaded))
      await keep(loaded, wanted: job.demand, replaces: mayBeThere)
    } catch {
      if Task.isCancelled { return job.finish(.failure(CancellationError())) }
      // Before anything is stored: nobody waits for a disk to hear that there is no image.
      job.finish(.failure(error))
      tell(.failure(error))
      if let error = error as? LoadingError {
        // What is kept stays if the server failed, or sent what is no image; then the next request asks again.
        await keepFailure(error, wanted: job.demand)
      }
    }
  }

  /// Loads when there is a place among the loads, which is free again when all bytes are here.
  private func load(turn: WorkQueue.Turn?) async throws -> OriginalData {
    let flow = QueueFlow(loading: plan.request)
    let queue = flow.origin == nil ? context.localLoads : context.loads
    let held = if let turn { turn } else { try await enter(queue, flow) }
    defer { held.end() }
    job.publishStart()
    let start = context.elapsed()
    func learn() {
      let now = context.elapsed()
      context.serviceTimes.withLock { $0.add(now - start, of: flow, at: now) }
    }
    do {
      let loaded = try await load(kept: kept, validators: validators, since: start - held.waited)
      learn()
      return loaded
    } catch LoadingError.timedOut(let url, .total, let time) {
      // The loader knows what was left of it; and that says nothing of how long the origin takes.
      throw LoadingError.timedOut(url, phase: .total, after: plan.request.timeouts.total ?? time)
    } catch {
      learn()
      throw error
    }
  }

  private func enter(_ queue: WorkQueue, _ flow: QueueFlow) async throws -> WorkQueue.Turn {
    do {
      let claim = WorkQueue.Claim(flow: flow, expiry: context.expiry(of: plan.request, in: flow))
      return try await queue.enter(priority: job.priority, claim)
    } catch is QueueTimeout {
      throw PipelineContext.timeout(of: plan.request)
    }
  }

  /// - Parameter call: When the time of the whole load began.
  private func load(
    kept: CachedOriginal?, validators: LoadRequest.Validators?, since call: Duration
  ) async throws -> OriginalData {
    let request = plan.request
    var loadRequest = plan.loadRequest
    loadRequest.livePriority = job.priority
    loadRequest.validators = validators
    if let total = loadRequest.timeouts.total, request.source.url != nil {
      let left = total - (context.elapsed() - call)
      guard left > .zero else { throw PipelineContext.timeout(of: request) }
      loadRequest.timeouts.total = left
    }
    context.counters.count { $0.loads += 1 }
    let log = StageLog()
    let requested = context.configuration.now()
    let transfer = ObservedTransfer()
    job.follow(transfer)
    // Bytes at hand are held by whoever asks.
    let memory =
      request.source.isAtHand ? nil : LoadMemory(context.memory, loads: context.configuration.limits.loads)
    let (data, response) = try await context.stage(.load, plan, log, bytes: { $0.0.count }) {
      try await plan.loader.data(for: loadRequest, into: transfer.bytes, memory: memory, onResponse: { _ in })
      {
        received, expected in
        let now = context.elapsed()
        // Each chunk would wake those who decode. Most bodies are there before that is of use to anybody.
        transfer.update(LoadProgress(received: received, expected: expected), at: now) { start in
          now - start >= StreamingDecoder.patience || job.demand.followsArrival
        }
      }
    }
    let received = context.configuration.now()
    log.change { $0.load = response.metrics }
    if response.isNotModified {
      guard let kept, let validators else {
        // The request is conditional by itself, about something that only its caller knows.
        throw LoadingError.httpStatus(response.url, status: 304, headers: response.headers)
      }
      // Where a redirect leads now, it may be about something else than what we have.
      let isOfOurs = validators.url.map { $0 == response.url } ?? response.redirects.isEmpty
      if isOfOurs,
        let confirmed = await confirm(kept, by: response, log, requested, received)
      {
        return confirmed
      }
      return try await load(kept: nil, validators: nil, since: call)
    }
    let reservation = memory?.take(for: data.count, isSpooled: transfer.bytes.isSpooled)
    job.keep([reservation].compactMap { $0 })
    // Whatever else a server sends with status 200, an error page say, is refused before anybody keeps it.
    let (info, version): (ImageInfo?, Checksum)
    do {
      (info, version) = try await context.probing(data.count) {
        (try plan.probe(data), Checksum(of: data))
      }
    } catch let error as ImagingError where error.blamesInput && plan.judgesForAll {
      plan.loader.reject(loadRequest, code: error.code, message: error.description)
      throw error
    }
    var metadata = RecordMetadata(
      contentType: response.contentType, tags: (kept?.metadata.tags ?? []).merging(request.tags))
    metadata.version = version
    func loaded(_ provenance: OriginalMetadata) -> OriginalData {
      OriginalData(
        data: data, info: info, source: .loader, metadata: metadata, provenance: provenance, log: log,
        reservedBytes: reservation?.bytes ?? 0)
    }
    if case .lifetime(let lifetime) = plan.cachingRule {
      metadata.expires = received + min(max(0, lifetime / .seconds(1)), 1e9)
    }
    guard metadata.expires == nil, let status = response.status else {
      return loaded(
        OriginalMetadata(version: version, freshUntil: metadata.expires, tags: metadata.tags, epoch: epoch))
    }
    let freshness = context.freshness(for: request)
    let fields = freshness.fields(of: response, for: request, at: received)
    metadata.target = freshness.target(of: response, for: request, requested: requested, received: received)
    let decision = freshness.storeDecision(
      request: request.headers, status: status, response: fields, requestTime: requested,
      responseTime: received)
    metadata.response = decision.stored
    if metadata.response == nil, policy == .ignoreHTTPFreshness || metadata.target != nil,
      case .refuse(.neverReusable) = decision
    {
      // Who goes by age has a use for it, and so has who is redirected to the same resource again.
      metadata.response = StoredResponse(
        status: status, fields: fields, request: request.headers, requestTime: requested,
        responseTime: received)
    }
    let end = freshness.end(of: metadata.response, for: request.headers, at: received)
    return loaded(
      OriginalMetadata(
        version: version, response: metadata.response, freshUntil: end ?? received,
        isStorable: metadata.response != nil, tags: metadata.tags, epoch: epoch))
  }

  /// What is kept, as the server confirmed it; `nil` when it spoke of something else, or what it spoke of is gone.
  private func confirm(
    _ kept: CachedOriginal, by response: LoadResponse, _ log: StageLog, _ requested: Date, _ received: Date
  ) async -> OriginalData? {
    guard let stored = kept.metadata.response else { return nil }
    let headers = plan.request.headers
    let freshness = context.freshness(for: plan.request)
    var metadata = kept.metadata
    let decision: FreshnessPolicy.StoreDecision
    if let target = metadata.target, target.isSource(of: response) {
      guard target.isConfirmed(by: response.headers) else { return nil }
      // Without header fields it was not asked: what is known of it stays.
      if !response.headers.isEmpty {
        metadata.target = target.confirmed(
          by: response.headers,
          freshUntil: freshness.lifetimeEnd(
            of: response.headers, for: headers, requested: requested, received: received))
      }
      decision = freshness.storeDecision(
        confirming: stored, from: metadata.target ?? target, by: response, for: plan.request,
        requested: requested, received: received)
    } else {
      decision = freshness.storeDecision(
        revalidating: stored, notModified: response.headers, request: headers, requestTime: requested,
        responseTime: received)
    }
    if case .refuse(.otherVersion) = decision { return nil }
    var data = kept.data
    if data == nil, let cache = plan.originals,
      let (record, reservation) = await context.readRecord(
        plan.request.sourceKey, from: cache, plan, log, for: job.priority),
      let again = CachedOriginal(record), again.version == kept.version
    {
      data = again.data
      job.keep(reservation.map { [$0] } ?? [])
    }
    guard let data else { return nil }
    context.counters.count { $0.revalidations += 1 }
    metadata.response = decision.stored
    if metadata.target != nil, case .refuse(.neverReusable) = decision { metadata.response = stored }
    metadata.tags = metadata.tags.merging(plan.request.tags)
    let provenance = OriginalMetadata(
      version: kept.version, response: metadata.response,
      freshUntil: freshness.end(of: metadata.response, for: headers, at: received) ?? received,
      isStorable: metadata.response != nil, tags: metadata.tags, epoch: epoch)
    return OriginalData(
      data: data, source: .diskOriginal, metadata: metadata, provenance: provenance, log: log)
  }

  // MARK: Keeping

  /// Keeps what was loaded or confirmed, or sees to it that nobody finds what it takes the place of.
  ///
  /// - Parameter replaces: Whether something may be kept already.
  private func keep(_ loaded: OriginalData, wanted: JobRequirements, replaces: Bool) async {
    guard wanted.tiers.contains(.originals), let cache = plan.originals?.writable, !loaded.isRejected else {
      return
    }
    let key = plan.request.sourceKey
    guard loaded.provenance.isStorable else {
      if replaces { await context.removeRecord(key, from: cache) }
      return
    }
    let isAsKept = loaded.source == .diskOriginal
    // Confirmed for no time at all: what is kept says the same.
    if isAsKept, loaded.metadata.target == kept?.metadata.target,
      loaded.provenance.freshUntil.map({ $0 <= context.configuration.now() }) ?? true
    {
      return
    }
    do {
      let isStored = try await context.storing(
        loaded.data.count, isResult: false, plan, priority: LivePriority(.low)
      ) {
        guard let data = isAsKept ? loaded.data : try await serialize(loaded.data) else {
          if replaces { await context.removeRecord(key, from: cache) }
          return false
        }
        var metadata = loaded.metadata
        metadata.tags = metadata.tags.merging(wanted.tags.sorted())
        if plan.originalSerializer.body != nil {
          metadata.contentType = try plan.coders.probe(data, limits: plan.limits).format.mimeType
        }
        // The version of an original is the checksum of its bytes: another serialization has another.
        let checksum = !isAsKept && plan.originalSerializer.body == nil ? metadata.version : nil
        return try await context.store(
          data, checksum: checksum, metadata, for: key, in: cache, plan, loaded.log, since: epoch)
      }
      if let outcome = ImageResponse.StoreOutcomes.Outcome(isStored: isStored) {
        loaded.log.changeStores { $0.original = outcome }
      }
      // What is there is of an earlier version.
      if isStored == nil, replaces, !isAsKept { await context.removeRecord(key, from: cache) }
      // A decoder may have refused the bytes while they were being written.
      if loaded.isRejected { try await cache.remove(key) }
    } catch {
      loaded.log.changeStores { $0.original = .failed(code: PipelineContext.code(of: error)) }
      context.counters.count(cacheError: error)
      // What is there is of an earlier version.
      if replaces, !isAsKept { await context.removeRecord(key, from: cache) }
    }
  }

  private func serialize(_ data: Data) async throws -> Data? {
    guard let body = plan.originalSerializer.body else { return data }
    return try await context.storeWorkers.run { try body(data, plan.coders, plan.limits) }
  }

  /// Keeps that there is no image, for as long as the server, and each that redirected to it, or the configuration says.
  /// A fallback without the image says nothing of the source.
  private func keepFailure(_ error: LoadingError, wanted: JobRequirements) async {
    guard case .httpStatus(let url, let status, let headers, let redirects) = error,
      url == plan.request.source.url,
      wanted.tiers.contains(.originals), let cache = plan.originals?.writable
    else { return }
    // An image that may be needed while the server fails is worth more than that it failed.
    if kept?.isImage == true, error.saysNothingOfTheImage { return }
    let now = context.configuration.now()
    let freshness = context.freshness(for: plan.request)
    let decision = freshness.storeDecision(
      request: plan.request.headers, status: status,
      response: freshness.limited(headers, status: status, by: redirects, at: now), requestTime: now,
      responseTime: now)
    guard let stored = decision.stored,
      let end = freshness.end(of: stored, for: plan.request.headers, at: now)
    else { return }
    do {
      _ = try await context.storing(0, isResult: false, plan, priority: LivePriority(.low)) {
        try await context.store(
          Data(), RecordMetadata(expires: end, response: stored), for: plan.request.sourceKey, in: cache,
          plan, StageLog(), since: epoch)
      }
    } catch {
      context.counters.count(cacheError: error)
    }
  }
}

extension ImageSource {
  /// Whether its bytes are in memory before anything is loaded.
  var isAtHand: Bool { if case .data = self { true } else { false } }
}

extension LoadingError {
  /// Whether the server or the way to it failed, which is no news about the image (RFC 5861 §4).
  var saysNothingOfTheImage: Bool {
    switch self {
    case .httpStatus(_, let status, _, _): FreshnessPolicy.isFailure(status: status)
    case .tls, .protocolError, .recentlyFailed(_, "protocolError", _): true
    default: isRetryable
    }
  }
}

extension ImagingError {
  /// Whether the bytes are at fault, and would be the next time.
  package var blamesInput: Bool {
    switch self {
    case .emptyInput, .unrecognizedFormat, .corrupt, .truncated: true
    case .unsupportedFormat, .limitExceeded, .invalidParameter, .cannotFit, .encodingFailed, .outOfMemory,
      .transformFailed, .cancelled:
      false
    }
  }
}
