import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Loads one original, or revalidates the stored one.
struct LoadJob: Sendable {
  let context: PipelineContext
  let job: Job<OriginalData>
  let plan: ResolvedRequest
  let policy: ImageRequest.CachePolicy
  let kept: CachedOriginal?
  let validators: LoadRequest.Validators?
  /// The newest purge when the job began.
  let epoch: Int
  /// The position of the shared log of purges when the job began.
  let position: Int?

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
    position = context.position
  }

  /// - Parameters:
  ///   - turn: A slot among the loads, if there is one already.
  ///   - ended: Called with the loaded original or the error, before anything is stored.
  func run(turn: WorkQueue.Turn?, ended tell: (Result<OriginalData, any Error>) -> Void) async {
    _ = job.admit()
    // A request that reads no caches does not know whether an entry exists.
    let mayBeThere =
      kept != nil || !plan.request.cachePolicy.readsCaches || !plan.request.readTiers.contains(.originals)
    do {
      let loaded = try await load(turn: turn)
      job.finish(.success(loaded))
      tell(.success(loaded))
      await keep(loaded, wanted: job.demand, replaces: mayBeThere)
    } catch {
      if Task.isCancelled { return job.finish(.failure(CancellationError())) }
      // Before anything is stored: a failure is reported without waiting for a disk.
      job.finish(.failure(error))
      tell(.failure(error))
      if let error = error as? LoadingError {
        // The stored entry stays if the server failed or sent no image; then the next request asks again.
        await keepFailure(error, wanted: job.demand)
      }
    }
  }

  /// Loads when there is a slot among the loads, which is released when all bytes have arrived.
  private func load(turn: WorkQueue.Turn?) async throws -> OriginalData {
    let flow = QueueFlow(loading: plan.request)
    let held =
      if let turn { turn } else {
        try await context.enterLoads(for: plan.request, priority: job.priority)
      }
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
    } catch LoadingError.timedOut(let url, let phase, let time) where phase == .total || phase == .queue {
      // The loader knows the remaining time; its timeout says nothing about the latency of the origin.
      throw LoadingError.timedOut(url, phase: phase, after: plan.request.timeouts.total ?? time)
    } catch {
      learn()
      throw error
    }
  }

  /// - Parameter call: The start of the whole load.
  private func load(
    kept: CachedOriginal?, validators: LoadRequest.Validators?, since call: Duration
  ) async throws -> OriginalData {
    let request = plan.request
    var loadRequest = try context.loadRequest(of: plan, priority: job.priority, since: call)
    loadRequest.validators = validators
    context.counters.count { $0.loads += 1 }
    let log = StageLog()
    let position = context.position
    let requested = context.configuration.now()
    let transfer = ObservedTransfer()
    job.follow(transfer)
    // The caller already holds bytes that are at hand.
    let memory =
      request.source.isAtHand ? nil : LoadMemory(context.memory, loads: context.configuration.limits.loads)
    let (data, response) = try await context.stage(.load, plan, log, bytes: { $0.0.count }) {
      try await plan.loader.data(for: loadRequest, into: transfer.bytes, memory: memory, onResponse: { _ in })
      {
        progress in
        let now = context.elapsed()
        // Each chunk would wake the decoding jobs, and most bodies are complete before that is useful.
        transfer.update(progress, at: now) { start in
          now - start >= StreamingDecoder.patience || job.demand.followsArrival
        }
      }
    }
    let received = context.configuration.now()
    log.change { $0.load = response.metrics }
    if let selection = context.freshness(for: request).clearing(by: response.headers, from: response.url) {
      await clear(selection)
    }
    if response.isNotModified {
      guard let kept, let validators else {
        // The caller made the request conditional, on a representation that only the caller knows.
        throw LoadingError.httpStatus(response.url, status: 304, headers: response.headers)
      }
      // A redirect may now lead to another resource than the stored one.
      let isOfOurs = validators.url.map { $0 == response.url } ?? response.redirects.isEmpty
      if isOfOurs,
        let confirmed = await confirm(kept, by: response, log, requested, received, position: position)
      {
        return confirmed
      }
      return try await load(kept: nil, validators: nil, since: call)
    }
    let reservation = memory?.take(for: data.count, isSpooled: transfer.bytes.isSpooled)
    job.keep([reservation].compactMap { $0 })
    // Any other body with status 200, such as an error page, is rejected before it is stored.
    let (info, version, content): (ImageInfo?, Checksum, KeyedHash?)
    let isShared = context.sharesImages(of: plan)
    do {
      (info, version, content) = try await context.probing(data, by: plan.coders) {
        try plan.verify(data)
        return (try plan.probe(data), Checksum(of: data), isShared ? KeyedHash(of: data) : nil)
      }
    } catch let error as ImagingError where error.blamesInput && plan.judgesForAll {
      plan.loader.reject(loadRequest, code: error.code, message: error.description)
      throw error
    }
    var metadata = RecordMetadata(
      contentType: response.contentType, tags: (kept?.metadata.tags ?? []).merging(request.tags),
      position: position)
    metadata.version = version
    // The header of an earlier version.
    context.headers.remove(request.headerKey)
    var (provenance, target) = context.facts(
      of: response, for: plan, policy: policy, requested: requested, received: received)
    metadata.response = provenance.response
    metadata.target = target
    metadata.setURL(provenance.url, for: request)
    if case .lifetime = plan.cachingRule { metadata.expires = provenance.freshUntil }
    (provenance.version, provenance.tags, provenance.epoch) = (version, metadata.tags, epoch)
    provenance.position = position
    return OriginalData(
      data: data, info: info, source: .loader, metadata: metadata, provenance: provenance, log: log,
      reservedBytes: reservation?.bytes ?? 0, content: content)
  }

  /// Returns the stored original as confirmed by the server; `nil` if the response is about another one, or
  /// the stored one is gone.
  private func confirm(
    _ kept: CachedOriginal, by response: LoadResponse, _ log: StageLog, _ requested: Date, _ received: Date,
    position: Int?
  ) async -> OriginalData? {
    guard let stored = kept.metadata.response else { return nil }
    let headers = plan.request.headers
    let freshness = context.freshness(for: plan.request)
    var metadata = kept.metadata
    let decision: FreshnessPolicy.StoreDecision
    if let target = metadata.target, target.isSource(of: response) {
      guard target.isConfirmed(by: response.headers) else { return nil }
      // Without header fields the server was not asked: the known response stays.
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
      let (record, _, reservation) = await context.readRecord(
        plan.request.sourceKey, from: cache, plan, log, for: job.priority),
      let again = CachedOriginal(record), again.version == kept.version
    {
      data = again.data
      job.keep(reservation.map { [$0] } ?? [])
    }
    guard let data else { return nil }
    context.counters.count { $0.revalidations += 1 }
    // It is as if it had been loaded: its age begins anew.
    metadata.expires = nil
    metadata.response = decision.stored
    if metadata.target != nil, case .refuse(.neverReusable) = decision { metadata.response = stored }
    metadata.tags = metadata.tags.merging(plan.request.tags)
    metadata.position = position
    let provenance = OriginalMetadata(
      version: kept.version, url: metadata.url(for: plan.request), response: metadata.response,
      freshUntil: freshness.end(of: metadata.response, for: headers, at: received) ?? received,
      isStorable: metadata.response != nil, tags: metadata.tags, epoch: epoch, position: position)
    return OriginalData(
      data: data, source: .diskOriginal, metadata: metadata, provenance: provenance, log: log)
  }

  // MARK: Storing

  /// Stores the loaded or confirmed original, or removes the entry that it supersedes.
  ///
  /// - Parameter replaces: Whether an entry may exist already.
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
    // Confirmed without any freshness lifetime: the stored entry says the same.
    if isAsKept, loaded.metadata.target == kept?.metadata.target,
      loaded.provenance.freshUntil.map({ $0 <= context.configuration.now() }) ?? true
    {
      return
    }
    do {
      let isStored = try await context.storing(
        loaded.data.count, isResult: false, plan, priority: LivePriority(.low)
      ) {
        guard let data = isAsKept ? loaded.data : try await serialize(loaded) else {
          if replaces { await context.removeRecord(key, from: cache) }
          return false
        }
        var metadata = loaded.metadata
        metadata.tags = metadata.tags.merging(wanted.tags.sorted())
        metadata.add(userInfo: wanted.userInfo)
        if plan.originalSerializer.body != nil {
          metadata.contentType = try plan.coders.decodableInfo(of: data, limits: plan.loadLimits).format
            .mimeType
        }
        // The version of an original is the checksum of its bytes: another serialization has another.
        let checksum = !isAsKept && plan.originalSerializer.body == nil ? metadata.version : nil
        return try await context.store(
          data, checksum: checksum, metadata, for: key, in: cache, maxAge: plan.caches.maxAge.originals, plan,
          loaded.log, since: epoch)
      }
      if let outcome = ImageResponse.StoreOutcomes.Outcome(isStored: isStored) {
        loaded.log.changeStores { $0.original = outcome }
      }
      // The existing entry is of an earlier version.
      if isStored == nil, replaces, !isAsKept { await context.removeRecord(key, from: cache) }
      // A decoder may have rejected the bytes while they were being written.
      if loaded.isRejected { try await cache.remove(key) }
    } catch {
      loaded.log.changeStores { $0.original = .failed(code: PipelineContext.code(of: error)) }
      context.counters.count(cacheError: error)
      // The existing entry is of an earlier version.
      if replaces, !isAsKept { await context.removeRecord(key, from: cache) }
    }
  }

  /// Returns the form in which an original is stored; `nil` if it is not. What must not be transformed is stored as loaded
  /// (RFC 9111 §5.2.2.6).
  private func serialize(_ loaded: OriginalData) async throws -> Data? {
    let data = loaded.data
    guard let body = plan.originalSerializer.body else { return data }
    let serialized = try await context.storeWorkers.run { try body(data, plan.coders, plan.loadLimits) }
    return loaded.metadata.response?.forbidsTransformation == true ? serialized.map { _ in data } : serialized
  }

  /// Removes everything of an origin that says so (`Clear-Site-Data`), this response included.
  private func clear(_ selection: CacheSelection) async {
    let caches = plan.caches
    do {
      try await context.purge(.selection(selection)) {
        caches.memory?.removeAll(selection)
        caches.encoded?.removeAll(selection)
        context.headers.removeAll(selection)
        for cache in caches.onDisk { _ = try await cache.writable?.removeAll(selection) }
        // Images that were delivered before the purge began and stored since.
        caches.memory?.removeAll(selection)
        caches.encoded?.removeAll(selection)
      }
    } catch {
      context.counters.count(cacheError: error)
    }
  }

  /// Stores the absence of the image, for as long as the server, each redirecting server, and the
  /// configuration allow. The absence of a fallback says nothing about the source.
  private func keepFailure(_ error: LoadingError, wanted: JobRequirements) async {
    guard case .httpStatus(let url, let status, let headers, let redirects) = error,
      url == plan.request.source.url,
      wanted.tiers.contains(.originals), let cache = plan.originals?.writable
    else { return }
    // An image that may be needed while the server fails is worth more than the record of the failure.
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
          Data(), RecordMetadata(expires: end, response: stored, position: position),
          for: plan.request.sourceKey, in: cache,
          maxAge: plan.caches.maxAge.originals, plan, StageLog(), since: epoch)
      }
    } catch {
      context.counters.count(cacheError: error)
    }
  }
}

extension ImageSource {
  /// Whether the bytes are in memory before loading begins.
  var isAtHand: Bool { if case .data = self { true } else { false } }
}

extension LoadingError {
  /// Whether the server or the connection failed, which says nothing about the image (RFC 5861 §4).
  var saysNothingOfTheImage: Bool {
    switch self {
    case .httpStatus(_, let status, _, _): FreshnessPolicy.isFailure(status: status)
    case .tls, .protocolError, .recentlyFailed(_, "protocolError", _): true
    default: isRetryable
    }
  }
}

/// The memory for a body, reserved before its bytes are read.
///
/// Of a declared length, only a share is reserved at once, so that servers which declare much and send
/// little cannot exhaust the memory; more is reserved as bytes arrive.
final class LoadMemory: BodyMemory {
  private let memory: ImagePipeline.Memory
  private let share: Int
  private let reservation = Lock<MemoryReservation?>(nil)
  /// Whether the body that has the reservation is in transfer.
  private let isArriving = Lock(false)

  /// - Parameters:
  ///   - memory: The memory to reserve from.
  ///   - loads: The number of concurrent loads: together they reserve half of the account at once.
  init(_ memory: ImagePipeline.Memory, loads: Int) {
    self.memory = memory
    share = max(16 << 10, memory.ceiling(of: .encoded) / (2 * max(1, min(loads, 32))))
  }

  deinit { setArriving(false) }

  private func setArriving(_ isArriving: Bool) {
    let hasChanged = self.isArriving.withLock { known in
      defer { known = isArriving }
      return known != isArriving
    }
    if hasChanged { memory.countArriving(isArriving ? 1 : -1) }
  }

  func reserve(_ declared: Int) async throws -> Int? {
    let bytes = min(declared, share)
    guard let reserved = try await memory.reserve(bytes, in: .encoded) else { return nil }
    reservation.withLock { $0 = reserved }
    setArriving(true)
    return bytes
  }

  func grow(to count: Int) -> Bool {
    if let reserved = reservation.withLock({ $0 }) { return reserved.grow(to: count) }
    guard let reserved = memory.tryReserve(count, in: .encoded) else { return false }
    reservation.withLock { $0 = reserved }
    setArriving(true)
    return true
  }

  func giveBack() {
    setArriving(false)
    reservation.withLock { $0.take() }?.release()
  }

  /// Takes the reservation for a complete body; returns none for bytes in a file.
  func take(for count: Int, isSpooled: Bool) -> MemoryReservation? {
    setArriving(false)
    let reserved = reservation.withLock { $0.take() }
    if isSpooled {
      reserved?.release()
      return nil
    }
    reserved?.shrink(to: count)
    return reserved
  }
}
