import CalotypeCaching
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

/// Makes one image: memory, finished result on disk, or the decoded original.
extension ImagePipeline {
  @concurrent
  nonisolated func runImageJob(_ job: Job<ImageResponse>, for request: ImageRequest) async {
    let start = ContinuousClock.now
    do {
      if let found = try await findResult(for: request) {
        job.finish(
          .success(
            ImageResponse(
              image: found.image, source: found.source, byteCount: found.byteCount,
              duration: ContinuousClock.now - start)))
        return
      }
      // The place is kept until the result is stored, so that requests for other sizes can join meanwhile.
      let (image, loaded, place) = try await decodeOriginal(for: request) { job.publish($0) }
      defer { place.leave() }
      let isKept = loaded.isStorable && request.cachePolicy.writesCaches && !image.isPartial
      if isKept, request.isMemoryCacheable {
        configuration.memoryCache?.store(image, for: request.key, cost: image.bitmap.byteCount)
      }
      // A place of its own keeps the job joinable until the result is on disk.
      let ownPlace = job.join(priority: request.priority)
      defer { ownPlace?.leave() }
      job.finish(
        .success(
          ImageResponse(
            image: image, source: loaded.source, byteCount: loaded.data.count,
            duration: ContinuousClock.now - start)))
      if isKept, request.isDiskCacheable, !request.isPlain { await storeResult(image, for: request) }
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
    }
  }

  private nonisolated func findResult(
    for request: ImageRequest
  ) async throws -> (image: Image, source: ImageResponse.Source, byteCount: Int?)? {
    guard request.isMemoryCacheable, request.cachePolicy.readsCaches else { return nil }
    // Another job may have ended between the caller's look and this one.
    if let image = configuration.memoryCache?.value(for: request.key) { return (image, .memory, nil) }
    guard request.isDiskCacheable, !request.isPlain, let record = await readRecord(resultKey(for: request))
    else { return nil }
    do {
      let image = try await workers.run {
        let stored = try configuration.coders.decode(
          record.data, options: DecodeOptions(limits: configuration.decodeLimits, colors: .asStored))
        let info = ImageInfo(stored: record.metadata) ?? stored.info
        return Image(
          bitmap: stored.bitmap, info: info,
          orientation: request.appliesOrientation ? .topLeft : info?.orientation ?? .topLeft)
      }
      counters.count { $0.diskHits += 1 }
      configuration.memoryCache?.store(image, for: request.key, cost: image.bitmap.byteCount)
      return (image, .disk, record.data.count)
    } catch let error as ImagingError where error != .cancelled {
      // Written by another version, perhaps. It is made again.
      await removeRecord(resultKey(for: request))
      return nil
    }
  }

  /// The decoded original and the place in the job that fetched it; the caller leaves it.
  private nonisolated func decodeOriginal(
    for request: ImageRequest, progress: (LoadProgress) -> Void
  ) async throws -> (Image, LoadedSource, Subscription<LoadedSource>) {
    var policy = request.cachePolicy
    while true {
      let place = await subscribe(toSourceOf: request, policy: policy)
      do {
        let loaded = try await wait(for: place, progress: progress)
        do {
          let image = try await decode(loaded, for: request)
          if image.isPartial { await reject(loaded, for: request) }
          // A damaged original in the cache says nothing about what the loader would deliver.
          guard image.isPartial, loaded.source == .diskOriginal, policy == .useAge else {
            return (image, loaded, place)
          }
        } catch let error as ImagingError where error.blamesInput {
          await reject(loaded, for: request)
          guard loaded.source == .diskOriginal, policy == .useAge else { throw error }
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
  private nonisolated func resultKey(for request: ImageRequest) -> CacheKey {
    let encoding = configuration.resultEncoding
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

  private nonisolated func storeResult(_ image: Image, for request: ImageRequest) async {
    guard let disk = configuration.diskCache else { return }
    do {
      let data = try await workers.run {
        // Without its orientation: the encoder would turn a picture that is to be kept as stored.
        let pixels = Image(bitmap: image.bitmap, info: image.info)
        return try configuration.coders.encode(pixels, as: configuration.resultEncoding)
      }
      var metadata = RecordMetadata(contentType: configuration.resultEncoding.format.mimeType)
      image.info?.store(in: &metadata)
      try await disk.store(data, metadata: metadata, for: resultKey(for: request))
    } catch {
      // The caller has the image; the cache has to do without.
      counters.count(cacheError: error)
    }
  }
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
