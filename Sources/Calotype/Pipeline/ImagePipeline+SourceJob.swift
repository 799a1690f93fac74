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
    _ job: Job<LoadedSource>, for request: ImageRequest, policy: CachePolicy
  ) async {
    do {
      if policy.readsCaches, request.isDiskCacheable, let record = await readRecord(request.sourceKey) {
        counters.count { $0.originalHits += 1 }
        job.finish(
          .success(LoadedSource(data: record.data, source: .diskOriginal, metadata: record.metadata)))
        return
      }
      try Task.checkCancellation()
      guard policy != .cacheOnly else { throw PipelineError.notCached(request.source.description) }
      let loaded = try await load(request) { job.publish($0) }
      // A place of its own keeps the job joinable until the bytes are on disk, where later requests look.
      let place = job.join(priority: request.priority)
      defer { place?.leave() }
      job.finish(.success(loaded))
      if loaded.isStorable, request.isDiskCacheable, policy.writesCaches { await store(loaded, for: request) }
    } catch {
      job.finish(.failure(Task.isCancelled ? CancellationError() : error))
    }
  }

  private nonisolated func load(
    _ request: ImageRequest, progress: (LoadProgress) -> Void
  ) async throws -> LoadedSource {
    counters.count { $0.loads += 1 }
    let loadRequest = LoadRequest(
      source: request.source, headers: request.headers, timeouts: request.timeouts,
      maxBytes: configuration.decodeLimits.maxBytes)
    let (data, response) = try await configuration.loader.data(for: loadRequest) { received, expected in
      progress(LoadProgress(received: received, expected: expected))
    }
    // Whatever else a server sends with status 200, an error page say, is refused before anybody keeps it.
    try await workers.run { _ = try configuration.coders.probe(data, limits: configuration.decodeLimits) }
    let metadata = RecordMetadata(contentType: response.contentType)
    let forbidsStore = response.headers[.cacheControl]?.lowercased().contains("no-store") ?? false
    return LoadedSource(data: data, source: .loader, metadata: metadata, isStorable: !forbidsStore)
  }

  private nonisolated func store(_ loaded: LoadedSource, for request: ImageRequest) async {
    guard let disk = configuration.diskCache, !loaded.isRejected else { return }
    do {
      try await disk.store(loaded.data, metadata: loaded.metadata, for: request.sourceKey)
      // A decoder may have refused the bytes while they were being written.
      if loaded.isRejected { try await disk.remove(request.sourceKey) }
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
      try await configuration.diskCache?.remove(key)
    } catch {
      counters.count(cacheError: error)
    }
  }
}
