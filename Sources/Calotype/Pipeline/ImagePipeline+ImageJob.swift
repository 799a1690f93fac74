import CalotypeCaching
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Makes one image: memory, finished result on disk, or the decoded original.
extension ImagePipeline {
  @concurrent
  nonisolated func runImageJob(_ job: Job<ImageResponse>, for request: ImageRequest) async {
    let start = ContinuousClock.now
    func respond(_ found: KeptResult, isStale: Bool) -> Result<ImageResponse, any Error> {
      .success(
        ImageResponse(
          image: found.image, source: found.source, byteCount: found.byteCount,
          duration: ContinuousClock.now - start, isStale: isStale))
    }
    let known = await findResult(for: request)
    do {
      var (policy, waits) = (request.cachePolicy, false)
      // A place of its own keeps the job joinable until the result is where later requests look.
      var ownPlace: Subscription<ImageResponse>?
      defer { ownPlace?.leave() }
      if let known, known.isGoodEnough || policy == .staleWhileRevalidate {
        ownPlace = job.join(priority: .utility)
        job.finish(respond(known, isStale: !known.isFresh))
        if known.isFresh || policy != .staleWhileRevalidate { return }
        counters.count { $0.staleHits += 1 }
        // Everybody has an answer; what follows is for the next request.
        (policy, waits) = (.http, true)
      }
      // The place is kept until the result is stored, so that requests for other sizes can join meanwhile.
      let (result, loaded, place) = try await makeResult(
        for: request, policy: policy, waits: waits, known: known
      ) {
        job.publish($0)
      }
      defer { place.leave() }
      let isKept = loaded.isStorable && request.cachePolicy.writesCaches && !result.image.isPartial
      if isKept, request.isMemoryCacheable { keepInMemory(result, of: loaded, for: request) }
      if !loaded.isStorable { await forgetResults(for: request, known: known) }
      if ownPlace == nil { ownPlace = job.join(priority: request.priority) }
      job.finish(respond(result, isStale: loaded.isStale))
      guard isKept, request.isDiskCacheable, !request.isPlain, !loaded.isStale else { return }
      await keepOnDisk(result, of: loaded, for: request)
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
      if case .httpStatus(_, let status, _) = error as? LoadingError, status == 404 || status == 410 {
        await forgetResults(for: request, known: known)
      }
    }
  }

  /// What was made of an original that is gone, or may not be kept any more, is of no use to the next request.
  private nonisolated func forgetResults(for request: ImageRequest, known: KeptResult?) async {
    guard request.cachePolicy.writesCaches, known != nil || !request.cachePolicy.readsCaches else { return }
    configuration.memoryCache?.remove(request.key)
    if request.isDiskCacheable, !request.isPlain, let key = resultKey(for: request) {
      await removeRecord(key)
    }
  }

  // MARK: Results that are there

  /// The result in memory or on disk, of whatever age.
  private nonisolated func findResult(for request: ImageRequest) async -> KeptResult? {
    guard request.isMemoryCacheable, request.cachePolicy.readsCaches else { return nil }
    let trustsAge = request.cachePolicy.trustsAge
    // Another job may have ended between the caller's look and this one.
    if let memory = configuration.memoryCache {
      if let cached = memory.value(for: request.key, allowingStale: trustsAge) {
        let isFresh = !request.hasCacheDirectives && (!trustsAge || memory.contains(request.key))
        return KeptResult(
          image: cached.image, source: .memory, version: cached.version, isFresh: isFresh,
          isGoodEnough: isFresh || trustsAge)
      }
      if let cached = memory.value(for: request.key, allowingStale: true) {
        return KeptResult(image: cached.image, source: .memory, version: cached.version)
      }
    }
    guard request.isDiskCacheable, !request.isPlain, let key = resultKey(for: request),
      let record = await readRecord(key)
    else { return nil }
    let now = configuration.now()
    let response = record.metadata.response
    let decision = freshness(for: request).decision(for: request.headers, stored: response, now: now)
    var (isFresh, isGoodEnough) = (response == nil, response == nil || trustsAge)
    switch decision {
    case .fresh: (isFresh, isGoodEnough) = (true, true)
    case .stale: isGoodEnough = true
    default: break
    }
    guard let image = await decodeResult(record, key, for: request) else { return nil }
    counters.count { $0.diskHits += 1 }
    let version = record.metadata.user[KeptOriginal.versionName].flatMap { UInt64($0, radix: 16) }
    let found = KeptResult(
      image: image, source: .disk, version: version.map { Checksum(seed: $0) }, byteCount: record.data.count,
      record: record, isFresh: isFresh, isGoodEnough: isGoodEnough)
    if isGoodEnough {
      let end = freshness(for: request).end(of: response, for: request.headers, at: now)
      configuration.memoryCache?.store(
        CachedImage(image, version: found.version), for: request.key, cost: image.bitmap.byteCount,
        freshFor: response == nil ? nil : .seconds(max(0, min(end?.timeIntervalSince(now) ?? 0, 1e9))),
        tags: Array(Set(record.metadata.tags + request.tags)),
        rendition: RequestIdentity.rendition(of: request))
    }
    return found
  }

  private nonisolated func decodeResult(
    _ record: CacheRecord, _ key: CacheKey, for request: ImageRequest
  ) async -> Image? {
    do {
      return try await workers.run {
        let stored = try configuration.coders.decode(
          record.data, options: DecodeOptions(limits: configuration.decodeLimits, colors: .asStored))
        let info = ImageInfo(stored: record.metadata) ?? stored.info
        return Image(
          bitmap: stored.bitmap, info: info,
          orientation: request.appliesOrientation ? .topLeft : info?.orientation ?? .topLeft)
      }
    } catch is CancellationError {
      return nil
    } catch ImagingError.cancelled {
      return nil
    } catch {
      // Written by another version, perhaps. It is made again.
      await removeRecord(key)
      return nil
    }
  }

  // MARK: Results that are made

  /// The result of the original, or the one that is there if the original is still the same; the caller leaves the place.
  private nonisolated func makeResult(
    for request: ImageRequest, policy: CachePolicy, waits: Bool, known: KeptResult?,
    progress: (LoadProgress) -> Void
  ) async throws -> (KeptResult, LoadedSource, Subscription<LoadedSource>) {
    var policy = policy
    while true {
      let place = await subscribe(toSourceOf: request, policy: policy, waits: waits)
      do {
        let loaded = try await wait(for: place, progress: progress)
        if let known, known.version == loaded.version, !known.image.isPartial {
          return (known, loaded, place)
        }
        do {
          let image = try await decode(loaded, for: request)
          if image.isPartial { await reject(loaded, for: request) }
          // A damaged original in the cache says nothing about what the loader would deliver.
          guard image.isPartial, loaded.source == .diskOriginal, policy.asksAgain else {
            let made = KeptResult(
              image: image, source: loaded.source, version: loaded.version, byteCount: loaded.data.count)
            return (made, loaded, place)
          }
        } catch let error as ImagingError where error.blamesInput {
          await reject(loaded, for: request)
          guard loaded.source == .diskOriginal, policy.asksAgain else { throw error }
        }
        policy = .reload
        place.leave()
      } catch {
        place.leave()
        throw error
      }
    }
  }

  /// Sees to it that bytes which are no whole image are in no cache.
  private nonisolated func reject(_ loaded: LoadedSource, for request: ImageRequest) async {
    loaded.reject()
    if request.isDiskCacheable, request.cachePolicy.writesCaches { await removeRecord(request.sourceKey) }
  }

  /// Where a result is on disk: pipelines that share a folder may keep results in different encodings.
  private nonisolated func resultKey(for request: ImageRequest) -> CacheKey? {
    guard let encoding = configuration.resultEncoding else { return nil }
    return CacheKey(
      request.key.text + "encoding \(encoding.format) \(encoding.quality) \(encoding.isLossless)\n",
      source: request.key.source)
  }

  private nonisolated func wait(
    for place: Subscription<LoadedSource>, progress: (LoadProgress) -> Void
  ) async throws -> LoadedSource {
    while true {
      switch try await place.next() {
      case .progress(let value): progress(value)
      case .ended(let loaded): return loaded
      }
    }
  }

  private nonisolated func decode(_ loaded: LoadedSource, for request: ImageRequest) async throws -> Image {
    counters.count { $0.decodes += 1 }
    return try await workers.run {
      try configuration.coders.decode(
        loaded.data, options: request.decodeOptions(limits: configuration.decodeLimits))
    }
  }

  private nonisolated func keepInMemory(
    _ result: KeptResult, of loaded: LoadedSource, for request: ImageRequest
  ) {
    configuration.memoryCache?.store(
      CachedImage(result.image, version: loaded.version), for: request.key,
      cost: result.image.bitmap.byteCount, freshFor: loaded.freshness(at: configuration.now()),
      tags: Array(Set(loaded.metadata.tags + request.tags)), rendition: RequestIdentity.rendition(of: request)
    )
  }

  private nonisolated func keepOnDisk(
    _ result: KeptResult, of loaded: LoadedSource, for request: ImageRequest
  ) async {
    guard let disk = writableDiskCache, let encoding = configuration.resultEncoding,
      let key = resultKey(for: request)
    else { return }
    do {
      var metadata = RecordMetadata(
        contentType: encoding.format.mimeType, response: loaded.metadata.response,
        tags: Array(Set(loaded.metadata.tags + request.tags)).sorted(),
        user: [KeptOriginal.versionName: String(loaded.version.value, radix: 16)])
      let image = result.image
      image.info?.store(in: &metadata)
      let data: Data
      switch result.source {
      case .disk, .memory:
        // Confirmed for no time at all: what is kept says the same.
        if loaded.freshUntil.map({ $0 <= configuration.now() }) ?? true { return }
        // As it is kept: encoded again, a picture would lose each time. One in memory alone stays there.
        var record = result.record
        if record == nil { record = await readRecord(key) }
        guard let record,
          record.metadata.user[KeptOriginal.versionName] == metadata.user[KeptOriginal.versionName]
        else { return }
        data = record.data
      case .diskOriginal, .loader:
        data = try await workers.run {
          // Without its orientation: the encoder would turn a picture that is to be kept as stored.
          let pixels = Image(bitmap: image.bitmap, info: image.info)
          return try configuration.coders.encode(pixels, as: encoding)
        }
      }
      try await disk.store(data, metadata: metadata, for: key)
    } catch {
      // The caller has the image; the cache has to do without.
      counters.count(cacheError: error)
    }
  }
}

/// A result, found or made.
private struct KeptResult: Sendable {
  let image: Image
  let source: ImageResponse.Source
  let version: Checksum?
  var byteCount: Int?
  var record: CacheRecord?
  /// Whether it is as good as new.
  var isFresh = false
  /// Whether the request takes it without anybody being asked.
  var isGoodEnough = false
}

extension CachePolicy {
  /// Whether what a cache had may be asked of the loader when it turns out to be useless.
  fileprivate var asksAgain: Bool { self == .http || self == .useAge || self == .staleWhileRevalidate }
}

extension ImagingError {
  /// Whether the bytes are at fault, and would be the next time.
  fileprivate var blamesInput: Bool {
    switch self {
    case .emptyInput, .unrecognizedFormat, .corrupt, .truncated: true
    case .unsupportedFormat, .limitExceeded, .invalidParameter, .cannotFit, .encodingFailed, .outOfMemory,
      .cancelled:
      false
    }
  }
}
