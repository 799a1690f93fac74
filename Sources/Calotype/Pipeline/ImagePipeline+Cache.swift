public import CalotypeCaching
public import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

extension ImagePipeline {
  /// What a pipeline has cached, request by request: to look, to put something there, and to remove it.
  ///
  /// ```swift
  /// if await pipeline.cache.tiers(of: request).isEmpty { queue.append(request) }
  /// try await pipeline.cache.removeAll(.source(url.absoluteString))
  /// ```
  ///
  /// Each request is looked at as the pipeline would: with its key, its partition and its own caches. Freshness is no
  /// question here. Removed images do not come back: an image in the making when a removal begins is delivered to its
  /// callers and not kept, and records that a running removal has not reached yet are not used.
  public struct Cache: Sendable {
    let pipeline: ImagePipeline

    private func plan(_ request: ImageRequest) -> ResolvedRequest {
      ResolvedRequest(pipeline.prepared(request), pipeline.configuration)
    }

    /// The tiers that have something for a request, however old: its result, or its original. No access; a cache that
    /// fails has nothing.
    public func tiers(of request: ImageRequest) async -> ImageRequest.CacheTiers {
      await plan(request).cachedTiers
    }

    /// The image in memory, however old. Never suspends.
    public func image(for request: ImageRequest) -> Image? {
      let plan = plan(request)
      return plan.memory?.value(for: plan.request.key, allowingStale: true)?.image
    }

    /// The original on disk, however old; `nil` if there is none, or if it is known that there is no such image.
    ///
    /// - Throws: `CachingError`.
    public func data(for request: ImageRequest) async throws -> Data? {
      let plan = plan(request)
      let data = try await plan.originals?.read(plan.request.sourceKey)?.data
      return data?.isEmpty == true ? nil : data
    }

    /// Puts an image where the result of a request is looked for, as if it had been made. It never gets stale by itself.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - request: Whose result it is.
    ///   - tiers: Where to put it; a result that is its original is not stored on disk without its bytes.
    /// - Throws: `CachingError`; `ImagingError` if it cannot be encoded.
    public func store(_ image: Image, for request: ImageRequest, in tiers: ImageRequest.CacheTiers = .all)
      async throws
    {
      let plan = plan(request)
      if tiers.contains(.memory), let memory = plan.memory {
        let cached = CachedImage(image)
        memory.store(
          cached, for: plan.request.key, cost: cached.cost, tags: plan.request.tags,
          rendition: RequestIdentity.rendition(of: plan.request))
      }
      guard tiers.contains(.disk), let disk = plan.disk?.writable, let key = plan.resultKey,
        let encoding = plan.resultEncoding
      else { return }
      let data = try await pipeline.context.workers.run {
        try plan.coders.encode(Image(bitmap: image.bitmap, info: image.info), as: encoding)
      }
      var metadata = RecordMetadata(contentType: encoding.format.mimeType, tags: plan.request.tags)
      image.info?.store(in: &metadata)
      try await disk.store(data, metadata: metadata, for: key)
    }

    /// Puts encoded bytes where the original of a request is looked for, as if they had been loaded. They never get
    /// stale by themselves.
    ///
    /// - Throws: `ImagingError` if they are no image; `CachingError`.
    public func store(_ data: Data, for request: ImageRequest) async throws {
      let plan = plan(request)
      let (info, version) = try await pipeline.context.workers.run {
        (try plan.coders.probe(data, limits: plan.limits), Checksum(of: data))
      }
      var metadata = RecordMetadata(contentType: info.format.mimeType, tags: plan.request.tags)
      metadata.version = version
      try await plan.originals?.writable?.store(data, metadata: metadata, for: plan.request.sourceKey)
    }

    /// Removes what is kept for this very request: its result, and its original if `tiers` say so.
    ///
    /// - Throws: `CachingError`, `LoadingError` for parts of transfers; memory is clear then.
    public func remove(_ request: ImageRequest, from tiers: ImageRequest.CacheTiers = .all) async throws {
      let plan = plan(request)
      let keys =
        [plan.request.key.text, plan.request.sourceKey.text] + (plan.resultKey.map { [$0.text] } ?? [])
      try await pipeline.context.purge(.keys(keys)) { try await remove(plan, from: tiers) }
    }

    private func remove(_ plan: ResolvedRequest, from tiers: ImageRequest.CacheTiers) async throws {
      if tiers.contains(.memory) { plan.memory?.remove(plan.request.key) }
      if tiers.contains(.disk), let key = plan.resultKey { _ = try await plan.disk?.writable?.remove(key) }
      if tiers.contains(.originals) || (tiers.contains(.disk) && plan.request.isPlain) {
        _ = try await plan.originals?.writable?.remove(plan.request.sourceKey)
        try await plan.loader.removeParts()
      }
    }

    /// Removes what was made of a selection: originals and results of every size, in memory and on disk; for all users
    /// that a URL may name, since no cache keeps that in clear. Every selection also removes all partial downloads, because
    /// they do not record their source.
    ///
    /// The source of a record is what ``ImageRequest/KeyPolicy/text(for:)`` made of the URL: the whole of it by default. For requests
    /// with another policy, ``removeAll(of:)`` knows it.
    ///
    /// - Returns: How many records were removed, those in memory included.
    /// - Throws: `CachingError`, `LoadingError` for parts of transfers; memory is clear then.
    @discardableResult public func removeAll(_ selection: CacheSelection) async throws -> Int {
      let selection = selection.withoutUsers
      let caches = pipeline.configuration.caches
      var count = 0
      try await pipeline.context.purge(.selection(selection)) {
        count += caches.memory?.removeAll(selection) ?? 0
        for cache in caches.onDisk { count += try await cache.writable?.removeAll(selection) ?? 0 }
        // What was delivered before the purge began, and kept since.
        count += caches.memory?.removeAll(selection) ?? 0
        try await pipeline.configuration.loader.removeParts()
      }
      return count
    }

    /// Removes what was made of the source of a request, as its ``ImageRequest/KeyPolicy`` names it: originals and results of every size
    /// and form, for all headers, credentials and partitions.
    ///
    /// - Returns: How many records were removed, those in memory included.
    /// - Throws: As ``removeAll(_:)``.
    @discardableResult public func removeAll(of request: ImageRequest) async throws -> Int {
      try await removeAll(.source(pipeline.prepared(request).sourceKey.source))
    }

    /// Removes everything, parts of transfers that ended early included.
    ///
    /// - Throws: As ``removeAll(_:)``.
    public func removeAll() async throws {
      let caches = pipeline.configuration.caches
      try await pipeline.context.purge(.all) {
        caches.memory?.removeAll()
        for cache in caches.onDisk { _ = try await cache.writable?.removeAll() }
        try await pipeline.configuration.loader.removeParts()
      }
    }

    /// Waits until what has been made so far is stored, and survives the machine losing its power.
    ///
    /// - Throws: `CachingError`.
    public func flush() async throws {
      await pipeline.flush()
      for cache in pipeline.configuration.caches.onDisk { try await cache.writable?.flush() }
    }

    /// What the memory cache holds and has done; `nil` without one.
    public var memoryStatistics: MemoryTier.Statistics? { pipeline.configuration.caches.memory?.statistics }
  }
}

extension CacheSelection {
  /// As sources are written in keys.
  fileprivate var withoutUsers: CacheSelection {
    switch self {
    case .source(let source): .source(RedactedURL.withoutUsers(source, isOne: true))
    case .sourcePrefix(let prefix): .sourcePrefix(RedactedURL.withoutUsers(prefix, isOne: true))
    case .tag, .host: self
    }
  }
}

extension ImagePipeline {
  /// What is cached.
  public nonisolated var cache: ImagePipeline.Cache { ImagePipeline.Cache(pipeline: self) }
}
