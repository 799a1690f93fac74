import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Loads one original, or has the server confirm the one that is kept.
extension ImagePipeline {
  @concurrent
  nonisolated func runLoadJob(
    _ job: Job<LoadedSource>, _ plan: Plan, policy: CachePolicy, kept: KeptOriginal?, validators: Validators?
  ) async {
    // Who reads no caches does not know what is there.
    let mayBeThere =
      kept != nil || !plan.request.cachePolicy.readsCaches || !plan.request.queryTiers.contains(.originals)
    do {
      let loaded = try await loads.run(priority: job.priority) {
        job.publishStart()
        return try await load(plan, policy: policy, kept: kept, validators: validators, for: job)
      }
      // A place of its own keeps the job joinable until the bytes are on disk, where later requests look.
      let place = job.hold()
      defer { place?.leave() }
      job.finish(.success(loaded))
      await keep(loaded, plan, wanted: job.demand, replaces: mayBeThere)
    } catch {
      if Task.isCancelled { return job.finish(.failure(CancellationError())) }
      if let error = error as? LoadingError {
        // What is kept stays if the server failed, or sent what is no image; then the next request asks again.
        await keepFailure(error, plan, wanted: job.demand, kept: kept)
      }
      job.finish(.failure(error))
    }
  }

  private nonisolated func load(
    _ plan: Plan, policy: CachePolicy, kept: KeptOriginal?, validators: Validators?,
    for job: Job<LoadedSource>
  ) async throws -> LoadedSource {
    counters.count { $0.loads += 1 }
    let request = plan.request
    var loadRequest = plan.loadRequest
    loadRequest.livePriority = job.priority
    loadRequest.validators = validators
    let log = StageLog()
    let requested = configuration.now()
    let arriving = ArrivingBytes()
    var firstByte: Duration?
    let (data, response) = try await stage(.load, plan, log, bytes: { $0.0.count }) {
      try await plan.loader.data(for: loadRequest, into: arriving, onResponse: { _ in }) {
        received, expected in
        let now = elapsed()
        let start = firstByte ?? now
        firstByte = start
        let progress = LoadProgress(received: received, expected: expected)
        let arrival = Arrival(progress: progress, bytes: arriving, start: start)
        // Each chunk would wake three tasks. Most bodies are there before that is of use to anybody.
        if now - start >= ArrivalDecoder.patience || job.demand.followsArrival {
          job.publish(arrival)
        } else {
          job.note(arrival)
        }
      }
    }
    let received = configuration.now()
    log.change { $0.load = response.metrics }
    if response.isNotModified {
      guard let kept, validators != nil else {
        // The request is conditional by itself, about something that only its caller knows.
        throw LoadingError.httpStatus(response.url, status: 304, headers: response.headers)
      }
      // Where a redirect leads now, it may be about something else than what we have.
      if response.redirects.isEmpty,
        let confirmed = confirm(kept, by: response, plan, log, requested, received)
      {
        return confirmed
      }
      return try await load(plan, policy: policy, kept: nil, validators: nil, for: job)
    }
    // Whatever else a server sends with status 200, an error page say, is refused before anybody keeps it.
    let (info, version): (ImageInfo, Checksum)
    do {
      (info, version) = try await workers.run {
        (try plan.coders.probe(data, limits: plan.limits, formatHint: request.formatHint), Checksum(of: data))
      }
    } catch let error as ImagingError where error.blamesInput && plan.judgesForAll {
      plan.loader.reject(loadRequest, code: error.code, message: error.description)
      throw error
    }
    var metadata = RecordMetadata(
      contentType: response.contentType, tags: (kept?.record.metadata.tags ?? []).merging(request.tags))
    metadata.version = version
    let allowance = loads.take(bytes: data.count)
    guard let status = response.status else {
      let provenance = Provenance(version: version, tags: metadata.tags)
      return LoadedSource(
        data: data, info: info, source: .loader, metadata: metadata, provenance: provenance, log: log,
        allowance: allowance)
    }
    let freshness = freshness(for: request)
    let fields = freshness.fields(of: response, at: received)
    let decision = freshness.storeDecision(
      request: request.headers, status: status, response: fields, requestTime: requested,
      responseTime: received)
    metadata.response = decision.stored
    if metadata.response == nil, policy == .useAge, case .refuse(.neverReusable) = decision {
      // Who goes by age has a use for it.
      metadata.response = StoredResponse(
        status: status, fields: fields, request: request.headers, requestTime: requested,
        responseTime: received)
    }
    let end = freshness.end(of: metadata.response, for: request.headers, at: received)
    let provenance = Provenance(
      version: version, response: metadata.response, freshUntil: end ?? received,
      isStorable: metadata.response != nil, tags: metadata.tags)
    return LoadedSource(
      data: data, info: info, source: .loader, metadata: metadata, provenance: provenance, log: log,
      allowance: allowance)
  }

  /// What is kept, as the server confirmed it; `nil` when it spoke of something else.
  private nonisolated func confirm(
    _ kept: KeptOriginal, by response: LoadResponse, _ plan: Plan, _ log: StageLog, _ requested: Date,
    _ received: Date
  ) -> LoadedSource? {
    guard let stored = kept.record.metadata.response else { return nil }
    let headers = plan.request.headers
    let freshness = freshness(for: plan.request)
    let decision = freshness.storeDecision(
      revalidating: stored, notModified: response.headers, request: headers, requestTime: requested,
      responseTime: received)
    if case .refuse(.otherVersion) = decision { return nil }
    counters.count { $0.revalidations += 1 }
    var metadata = kept.record.metadata
    metadata.response = decision.stored
    metadata.tags = metadata.tags.merging(plan.request.tags)
    let provenance = Provenance(
      version: kept.version, response: decision.stored,
      freshUntil: freshness.end(of: decision.stored, for: headers, at: received) ?? received,
      isStorable: decision.stored != nil, tags: metadata.tags)
    return LoadedSource(
      data: kept.record.data, source: .diskOriginal, metadata: metadata, provenance: provenance, log: log,
      allowance: loads.take(bytes: kept.record.data.count))
  }

  // MARK: Keeping

  /// Keeps what was loaded or confirmed, or sees to it that nobody finds what it takes the place of.
  ///
  /// - Parameter replaces: Whether something may be kept already.
  private nonisolated func keep(
    _ loaded: LoadedSource, _ plan: Plan, wanted: Demand, replaces: Bool
  ) async {
    guard wanted.tiers.contains(.originals), let cache = plan.originals?.writable, !loaded.isRejected else {
      return
    }
    let key = plan.request.sourceKey
    guard loaded.provenance.isStorable else {
      if replaces { await removeRecord(key, from: cache) }
      return
    }
    let isAsKept = loaded.source == .diskOriginal
    // Confirmed for no time at all: what is kept says the same.
    if isAsKept, loaded.provenance.freshUntil.map({ $0 <= configuration.now() }) ?? true { return }
    do {
      guard let data = isAsKept ? loaded.data : try await serialize(loaded.data, plan) else {
        if replaces { await removeRecord(key, from: cache) }
        return
      }
      var metadata = loaded.metadata
      metadata.tags = metadata.tags.merging(wanted.tags)
      if data != loaded.data {
        metadata.contentType = try plan.coders.probe(data, limits: plan.limits).format.mimeType
      }
      try await stage(.store, plan, loaded.log) {
        try await cache.store(data, metadata: metadata, for: key)
      }
      loaded.log.changeStores { $0.original = .stored }
      // A decoder may have refused the bytes while they were being written.
      if loaded.isRejected { try await cache.remove(key) }
    } catch {
      loaded.log.changeStores { $0.original = .failed(code: Self.code(of: error)) }
      counters.count(cacheError: error)
      // What is there is of an earlier version.
      if replaces, !isAsKept { await removeRecord(key, from: cache) }
    }
  }

  private nonisolated func serialize(_ data: Data, _ plan: Plan) async throws -> Data? {
    guard let body = plan.originalSerializer.body else { return data }
    return try await encodes.run(priority: LivePriority(.background)) {
      try await workers.run { try body(data, plan.coders, plan.limits) }
    }
  }

  /// Keeps that there is no image, for as long as the server or the configuration says.
  private nonisolated func keepFailure(
    _ error: LoadingError, _ plan: Plan, wanted: Demand, kept: KeptOriginal?
  ) async {
    guard case .httpStatus(_, let status, let headers) = error, wanted.tiers.contains(.originals),
      let cache = plan.originals?.writable
    else { return }
    // An image that may be needed while the server fails is worth more than that it failed.
    if kept?.isImage == true, error.saysNothingOfTheImage { return }
    let now = configuration.now()
    let freshness = freshness(for: plan.request)
    let decision = freshness.storeDecision(
      request: plan.request.headers, status: status, response: headers, requestTime: now, responseTime: now)
    guard let stored = decision.stored,
      let end = freshness.end(of: stored, for: plan.request.headers, at: now)
    else { return }
    do {
      try await cache.store(
        Data(), metadata: RecordMetadata(expires: end, response: stored), for: plan.request.sourceKey)
    } catch {
      counters.count(cacheError: error)
    }
  }

  // MARK: Disk caches

  /// The record of a key. A cache that fails costs time, never the image: the error is counted.
  nonisolated func readRecord(
    _ key: CacheKey, from cache: any DataCaching, _ plan: Plan, _ log: StageLog
  ) async -> CacheRecord? {
    do {
      return try await stage(.read, plan, log, bytes: { $0?.data.count }) { try await cache.read(key) }
    } catch {
      counters.count(cacheError: error)
      return nil
    }
  }

  nonisolated func removeRecord(_ key: CacheKey, from cache: (any DataCaching)?) async {
    do {
      try await cache?.writable?.remove(key)
    } catch {
      counters.count(cacheError: error)
    }
  }

  nonisolated static func code(of error: any Error) -> String {
    (error as? any CalotypeError)?.code ?? (error is CancellationError ? "cancelled" : "unknown")
  }
}

extension LoadingError {
  /// Whether the server or the way to it failed, which is no news about the image (RFC 5861 §4).
  var saysNothingOfTheImage: Bool {
    switch self {
    case .httpStatus(_, let status, _): FreshnessPolicy.isFailure(status: status)
    case .tls, .protocolError: true
    default: isRetryable
    }
  }
}

extension ImagingError {
  /// Whether the bytes are at fault, and would be the next time.
  var blamesInput: Bool {
    switch self {
    case .emptyInput, .unrecognizedFormat, .corrupt, .truncated: true
    case .unsupportedFormat, .limitExceeded, .invalidParameter, .cannotFit, .encodingFailed, .outOfMemory,
      .cancelled:
      false
    }
  }
}
