import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Fetches one original: from disk, or by the loader.
extension ImagePipeline {
  @concurrent
  nonisolated func runSourceJob(
    _ job: Job<LoadedSource>, for request: ImageRequest, policy: CachePolicy, waits: Bool
  ) async {
    do {
      let record = policy.readsCaches && request.isDiskCacheable ? await readRecord(request.sourceKey) : nil
      let kept = record.flatMap { KeptOriginal($0) }
      let loaded: LoadedSource
      switch sourceStep(for: request, policy: policy, waits: waits, kept: kept) {
      case .use(let source):
        counters.count { $0.originalHits += 1 }
        job.finish(.success(source))
        return
      case .fail(let error):
        throw error
      case .useThenAsk(let source, let conditional):
        counters.count { $0.originalHits += 1 }
        // Before others get the answer: who finds what is stale next finds somebody asking.
        if let kept { await refresh(request, kept: kept, conditional: conditional) }
        job.finish(.success(source))
        return
      case .ask(let conditional):
        try Task.checkCancellation()
        if kept != nil, let place = await subscribe(toRefreshOf: request) {
          // Somebody is asking already; what comes of that is kept by then.
          defer { place.leave() }
          if let refreshed = try? await place.value() { return job.finish(.success(refreshed)) }
          try Task.checkCancellation()
        }
        loaded = try await ask(request, policy: policy, kept: kept, conditional: conditional) {
          job.publish($0)
        }
      }
      // A place of its own keeps the job joinable until the bytes are on disk, where later requests look.
      let place = job.join(priority: request.priority)
      defer { place?.leave() }
      job.finish(.success(loaded))
      await keep(loaded, for: request, policy: policy, replaces: kept != nil)
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
    }
  }

  /// Asks the server about what others were given meanwhile. Who is next finds what came of it.
  @concurrent
  nonisolated func runRefreshJob(
    _ job: Job<LoadedSource>, for request: ImageRequest, kept: KeptOriginal, conditional: HTTPFields
  ) async {
    do {
      let loaded = try await load(request, policy: .http, kept: kept, conditional: conditional) { _ in }
      await keep(loaded, for: request, policy: .http, replaces: true)
      job.finish(.success(loaded))
    } catch {
      // What is kept stays if the server failed, or sent what is no image; then the next request asks again.
      if let error = error as? LoadingError {
        await keepFailure(error, of: request, policy: .http, kept: kept)
      }
      job.finish(.failure(error))
    }
  }

  // MARK: The loader

  /// Asks the loader; what is stale takes its place when it fails and that is allowed.
  private nonisolated func ask(
    _ request: ImageRequest, policy: CachePolicy, kept: KeptOriginal?, conditional: HTTPFields,
    progress: (LoadProgress) -> Void
  ) async throws -> LoadedSource {
    do {
      return try await load(request, policy: policy, kept: kept, conditional: conditional, progress: progress)
    } catch {
      try Task.checkCancellation()
      if let loadingError = error as? LoadingError {
        await keepFailure(loadingError, of: request, policy: policy, kept: kept)
        if let kept, let response = kept.record.metadata.response, loadingError.saysNothingOfTheImage,
          freshness(for: request).mayServeOnError(
            response, for: request.headers, now: configuration.now())
        {
          counters.count { $0.staleHits += 1 }
          return kept.loaded(isStale: true)
        }
      }
      throw error
    }
  }

  private nonisolated func load(
    _ request: ImageRequest, policy: CachePolicy, kept: KeptOriginal?, conditional: HTTPFields,
    progress: (LoadProgress) -> Void
  ) async throws -> LoadedSource {
    counters.count { $0.loads += 1 }
    var loadRequest = LoadRequest(
      source: request.source, headers: request.headers, timeouts: request.timeouts,
      maxBytes: configuration.decodeLimits.maxBytes)
    let isConditional = kept != nil && !conditional.isEmpty
    if isConditional {
      loadRequest.validators = Validators(
        etag: conditional[.ifNoneMatch], lastModified: conditional[.ifModifiedSince])
    }
    let requested = configuration.now()
    let (data, response) = try await configuration.loader.data(for: loadRequest) { received, expected in
      progress(LoadProgress(received: received, expected: expected))
    }
    let received = configuration.now()
    if response.isNotModified {
      guard let kept, isConditional else {
        // The request is conditional by itself, about something that only its caller knows.
        throw LoadingError.httpStatus(response.url, status: 304, headers: response.headers)
      }
      // Where a redirect leads now, it may be about something else than what we have.
      if response.redirects.isEmpty, let confirmed = confirm(kept, by: response, request, requested, received)
      {
        return confirmed
      }
      return try await load(request, policy: policy, kept: nil, conditional: HTTPFields(), progress: progress)
    }
    // Whatever else a server sends with status 200, an error page say, is refused before anybody keeps it.
    try await workers.run { _ = try configuration.coders.probe(data, limits: configuration.decodeLimits) }
    let version = Checksum(of: data)
    var metadata = RecordMetadata(
      contentType: response.contentType, tags: merging(kept?.record.metadata.tags ?? [], request.tags))
    guard let status = response.status else {
      return LoadedSource(data: data, source: .loader, metadata: metadata, version: version)
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
    return LoadedSource(
      data: data, source: .loader, metadata: metadata, version: version,
      freshUntil: freshness.end(of: metadata.response, for: request.headers, at: received) ?? received,
      isStorable: metadata.response != nil)
  }

  /// What is kept, as the server confirmed it; `nil` when it spoke of something else.
  private nonisolated func confirm(
    _ kept: KeptOriginal, by response: LoadResponse, _ request: ImageRequest, _ requested: Date,
    _ received: Date
  ) -> LoadedSource? {
    guard let stored = kept.record.metadata.response else { return nil }
    let freshness = freshness(for: request)
    let decision = freshness.storeDecision(
      revalidating: stored, notModified: response.headers, request: request.headers, requestTime: requested,
      responseTime: received)
    if case .refuse(.otherVersion) = decision { return nil }
    counters.count { $0.revalidations += 1 }
    var metadata = kept.record.metadata
    metadata.response = decision.stored
    metadata.tags = merging(metadata.tags, request.tags)
    return LoadedSource(
      data: kept.record.data, source: .diskOriginal, metadata: metadata, version: kept.version,
      freshUntil: freshness.end(of: decision.stored, for: request.headers, at: received) ?? received,
      isStorable: decision.stored != nil)
  }

  // MARK: Keeping

  /// Keeps what was loaded or confirmed, or sees to it that nobody finds what it takes the place of.
  ///
  /// - Parameter replaces: Whether something is kept already.
  private nonisolated func keep(
    _ loaded: LoadedSource, for request: ImageRequest, policy: CachePolicy, replaces: Bool
  ) async {
    guard request.isDiskCacheable, policy.writesCaches, let disk = writableDiskCache, !loaded.isStale,
      !loaded.isRejected
    else { return }
    let mayBeThere = replaces || !policy.readsCaches
    guard loaded.isStorable else {
      if mayBeThere { await removeRecord(request.sourceKey) }
      return
    }
    let isAsKept = loaded.source == .diskOriginal
    // Confirmed for no time at all: what is kept says the same.
    if isAsKept, loaded.freshUntil.map({ $0 <= configuration.now() }) ?? true { return }
    do {
      guard let data = isAsKept ? loaded.data : try await serialize(loaded.data) else {
        if mayBeThere { await removeRecord(request.sourceKey) }
        return
      }
      var metadata = loaded.metadata
      if data != loaded.data {
        metadata.contentType = try configuration.coders.probe(data, limits: configuration.decodeLimits).format
          .mimeType
      }
      metadata.user[KeptOriginal.versionName] = String(loaded.version.value, radix: 16)
      try await disk.store(data, metadata: metadata, for: request.sourceKey)
      // A decoder may have refused the bytes while they were being written.
      if loaded.isRejected { try await disk.remove(request.sourceKey) }
    } catch {
      counters.count(cacheError: error)
      // What is there is of an earlier version.
      if mayBeThere, !isAsKept { await removeRecord(request.sourceKey) }
    }
  }

  private nonisolated func merging(_ tags: [String], _ more: [String]) -> [String] {
    tags + more.filter { !tags.contains($0) }
  }

  private nonisolated func serialize(_ data: Data) async throws -> Data? {
    guard let body = configuration.originalSerializer.body else { return data }
    return try await workers.run { try body(data, configuration.coders, configuration.decodeLimits) }
  }

  /// Keeps that there is no image, for as long as the server or the configuration says.
  private nonisolated func keepFailure(
    _ error: LoadingError, of request: ImageRequest, policy: CachePolicy, kept: KeptOriginal?
  ) async {
    guard case .httpStatus(_, let status, let headers) = error, request.isDiskCacheable, policy.writesCaches,
      let disk = writableDiskCache
    else { return }
    // An image that may be needed while the server fails is worth more than that it failed.
    if kept?.isImage == true, error.saysNothingOfTheImage { return }
    let now = configuration.now()
    let freshness = freshness(for: request)
    let decision = freshness.storeDecision(
      request: request.headers, status: status, response: headers, requestTime: now, responseTime: now)
    guard let stored = decision.stored, let end = freshness.end(of: stored, for: request.headers, at: now)
    else { return }
    do {
      try await disk.store(
        Data(), metadata: RecordMetadata(expires: end, response: stored), for: request.sourceKey)
    } catch {
      counters.count(cacheError: error)
    }
  }

  // MARK: Disk cache

  /// The record of a key. A disk cache that fails costs time, never the image: the error is counted.
  nonisolated func readRecord(_ key: CacheKey) async -> CacheRecord? {
    guard let disk = configuration.diskCache else { return nil }
    do {
      return try await disk.read(key)
    } catch {
      counters.count(cacheError: error)
      return nil
    }
  }

  nonisolated func removeRecord(_ key: CacheKey) async {
    do {
      try await writableDiskCache?.remove(key)
    } catch {
      counters.count(cacheError: error)
    }
  }
}

extension LoadingError {
  /// Whether the server or the way to it failed, which is no news about the image (RFC 5861 §4).
  fileprivate var saysNothingOfTheImage: Bool {
    switch self {
    case .httpStatus(_, let status, _): FreshnessPolicy.isFailure(status: status)
    case .tls, .protocolError: true
    default: isRetryable
    }
  }
}
