public import CalotypeCaching
public import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

extension ImagePipeline {
  /// Access to the cached entries of a pipeline by request: look up, store, and remove.
  ///
  /// ```swift
  /// if await pipeline.cache.tiers(of: request).isEmpty { queue.append(request) }
  /// try await pipeline.cache.removeAll(.source(url.absoluteString))
  /// ```
  ///
  /// Each request is resolved as the pipeline does: with its key, its partition and its own caches.
  /// Freshness is ignored. Removed images do not return: an image that is being made when a removal begins
  /// is delivered to its callers but not stored, and records that a running removal has not reached yet are
  /// not used.
  public struct Cache: Sendable {
    let pipeline: ImagePipeline

    private func plan(_ request: ImageRequest) -> ResolvedRequest {
      ResolvedRequest(pipeline.prepared(request), pipeline.configuration)
    }

    /// Returns the tiers that have an entry for a request, regardless of age: its result, or its original.
    /// Does not count as an access; a failing cache counts as empty.
    public func tiers(of request: ImageRequest) async -> ImageRequest.CacheTiers {
      await plan(request).cachedTiers
    }

    /// Returns the image in memory, regardless of age. Never suspends.
    public func image(for request: ImageRequest) -> Image? {
      let plan = plan(request)
      return plan.memory?.value(for: plan.request.key, allowingStale: true, now: .now)?.image
    }

    /// Returns the original on disk, regardless of age; `nil` if there is none, or if the image is known
    /// not to exist.
    ///
    /// - Throws: `CachingError`.
    public func data(for request: ImageRequest) async throws -> Data? {
      let plan = plan(request)
      let data = try await plan.originals?.read(plan.request.sourceKey)?.data
      return data?.isEmpty == true ? nil : data
    }

    /// Returns the values that requests have stored with the result on disk, or with the original if there is no result:
    /// ``ImageRequest/userInfo``. Regardless of age; `nil` if there is neither.
    ///
    /// - Throws: `CachingError`.
    public func userInfo(for request: ImageRequest) async throws -> [String: String]? {
      let plan = plan(request)
      if let disk = plan.disk, let key = plan.resultKey, let record = try await disk.read(key) {
        return record.metadata.userInfo
      }
      return try await plan.originals?.read(plan.request.sourceKey)?.metadata.userInfo
    }

    /// Stores an image as the result of a request, as if the pipeline had made it. It does not become stale
    /// by itself.
    ///
    /// On disk, it is encoded by ``ImageRequest/resultEncoding`` or that of the pipeline. For a request without size and
    /// transforms, whose result is its original, it takes the place of the original. It is not stored on disk if an encoded
    /// image would not hold all of it: other colours than sRGB, samples of 16 bits, metadata.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - request: The request whose result it is.
    ///   - tiers: The tiers to store it in.
    /// - Throws: `CachingError`; `ImagingError` if it cannot be encoded; ``PipelineError/digestMismatch(_:expected:actual:)``
    ///   for an encoded image in place of an original with an expected digest.
    public func store(_ image: Image, for request: ImageRequest, in tiers: ImageRequest.CacheTiers = .all)
      async throws
    {
      let plan = plan(request)
      if tiers.contains(.memory), let memory = plan.memory {
        memory.store(
          CachedImage(image, tags: plan.request.tags), for: plan.request.key,
          sizeVariant: RequestIdentity.sizeVariant(of: plan.request))
      }
      guard tiers.contains(.disk), plan.request.isEncodable, let encoding = plan.resultEncoding,
        let key = plan.resultKey, (plan.request.isPlain ? plan.originals : plan.disk)?.writable != nil
      else { return }
      let data = try await pipeline.context.workers.run {
        try plan.coders.encode(Image(bitmap: image.bitmap, info: image.info), as: encoding)
      }
      if plan.request.isPlain { return try await store(data, for: request) }
      var metadata = RecordMetadata(
        contentType: encoding.format.mimeType, tags: plan.request.tags, position: pipeline.context.position)
      metadata.add(userInfo: plan.request.userInfo)
      image.info?.store(in: &metadata)
      metadata.expire(after: plan.caches.maxAge.results, from: pipeline.configuration.now())
      try await plan.disk?.writable?.store(data, metadata: metadata, for: key)
    }

    /// Stores encoded bytes as the original of a request, as if the pipeline had loaded them. They do not
    /// become stale by themselves, but expire by ``ImagePipeline/Caches/MaxAge/originals``.
    ///
    /// - Throws: `ImagingError` if they are not an image; ``PipelineError/digestMismatch(_:expected:actual:)``; `CachingError`.
    public func store(_ data: Data, for request: ImageRequest) async throws {
      let plan = plan(request)
      let (info, version) = try await pipeline.context.workers.run {
        try plan.verify(data)
        return (try plan.coders.decodableInfo(of: data, limits: plan.limits), Checksum(of: data))
      }
      var metadata = RecordMetadata(
        contentType: info.format.mimeType, tags: plan.request.tags, position: pipeline.context.position)
      metadata.version = version
      metadata.add(userInfo: plan.request.userInfo)
      metadata.expire(after: plan.caches.maxAge.originals, from: pipeline.configuration.now())
      pipeline.context.headers.remove(plan.request.headerKey)
      try await plan.originals?.writable?.store(data, metadata: metadata, for: plan.request.sourceKey)
    }

    /// Removes the entries of this exact request: its result, and its original if `tiers` include it.
    ///
    /// - Throws: `CachingError`, `LoadingError` for partial downloads; memory is cleared in that case too.
    public func remove(_ request: ImageRequest, from tiers: ImageRequest.CacheTiers = .all) async throws {
      let plan = plan(request)
      let keys =
        [plan.request.key.text, plan.request.sourceKey.text, plan.request.headerKey.text]
        + (plan.resultKey.map { [$0.text] } ?? [])
      try await pipeline.context.purge(.keys(keys)) { try await remove(plan, from: tiers) }
    }

    private func remove(_ plan: ResolvedRequest, from tiers: ImageRequest.CacheTiers) async throws {
      // Encoded images, whose options are not known here.
      let encoded = CacheSelection.tagged(source: plan.request.key.source, tag: plan.request.encodedTag)
      if tiers.contains(.memory) {
        plan.memory?.remove(plan.request.key)
        pipeline.context.headers.remove(plan.request.headerKey)
        plan.encodedMemory?.removeAll(encoded)
      }
      if tiers.contains(.disk) { _ = try await plan.encodedDisk?.writable?.removeAll(encoded) }
      if tiers.contains(.disk), let key = plan.resultKey { _ = try await plan.disk?.writable?.remove(key) }
      if tiers.contains(.originals) || (tiers.contains(.disk) && plan.request.isPlain) {
        _ = try await plan.originals?.writable?.remove(plan.request.sourceKey)
        try await plan.loader.removeParts()
      }
    }

    /// Removes all entries of a selection: originals and results of every size, in memory and on disk, for
    /// all users that a URL may name, because no cache stores user names in plain text. Every selection
    /// also removes all partial downloads, because they do not record their source. Caches that only requests
    /// name (``ImageRequest/caches``) are not known to the pipeline: see ``removeAll(of:)``.
    ///
    /// The source of a record is the result of ``ImageRequest/KeyPolicy/text(for:)`` for the URL: the whole
    /// URL by default. For requests with another policy, use ``removeAll(of:)``.
    ///
    /// - Returns: The number of removed records, including those in memory.
    /// - Throws: `CachingError`, `LoadingError` for partial downloads; memory is cleared in that case too.
    @discardableResult public func removeAll(_ selection: CacheSelection) async throws -> Int {
      try await removeAll(selection, pipeline.configuration.caches, pipeline.configuration.loader)
    }

    private func removeAll(
      _ selection: CacheSelection, _ caches: ImagePipeline.Caches, _ loader: any ImageLoading
    ) async throws -> Int {
      let selection = selection.withoutUsers
      var count = 0
      try await pipeline.context.purge(.selection(selection)) {
        func removeFromMemory() -> Int {
          pipeline.context.headers.removeAll(selection)
          return (caches.memory?.removeAll(selection) ?? 0) + (caches.encoded?.removeAll(selection) ?? 0)
        }
        count += removeFromMemory()
        for cache in caches.onDisk { count += try await cache.writable?.removeAll(selection) ?? 0 }
        // Images that were delivered before the purge began and stored since.
        count += removeFromMemory()
        try await loader.removeParts()
      }
      return count
    }

    /// Removes all entries of a request's source, as named by its ``ImageRequest/KeyPolicy``: originals and
    /// results of every size and form, for all headers, credentials and partitions, in the caches that the
    /// request uses.
    ///
    /// - Returns: The number of removed records, including those in memory.
    /// - Throws: As ``removeAll(_:)``.
    @discardableResult public func removeAll(of request: ImageRequest) async throws -> Int {
      let plan = plan(request)
      return try await removeAll(.source(plan.request.sourceKey.source), plan.caches, plan.loader)
    }

    /// Removes everything from the caches of the pipeline, including partial downloads. Caches that only requests
    /// name (``ImageRequest/caches``) are not known to it.
    ///
    /// - Throws: As ``removeAll(_:)``.
    public func removeAll() async throws {
      let caches = pipeline.configuration.caches
      try await pipeline.context.purge(.all) {
        caches.memory?.removeAll()
        pipeline.context.headers.removeAll()
        pipeline.context.sharedImages.removeAll()
        caches.encoded?.removeAll()
        for cache in caches.onDisk { _ = try await cache.writable?.removeAll() }
        try await pipeline.configuration.loader.removeParts()
      }
    }

    /// Waits until all results so far are stored and, in the caches of the pipeline, would survive a power loss.
    /// A request with caches of its own waits for them with ``ImageRequest/StoreDurability/flushed``.
    ///
    /// - Throws: `CachingError`.
    public func flush() async throws {
      await pipeline.flush()
      for cache in pipeline.configuration.caches.onDisk { try await cache.writable?.flush() }
    }

    /// The contents and counters of the memory cache; `nil` without a `MemoryCache`.
    public var memoryStatistics: MemoryTier.Statistics? {
      pipeline.configuration.caches.decoded?.memory?.statistics
    }
  }
}

extension CacheSelection {
  /// The selection with sources written as in keys.
  var withoutUsers: CacheSelection {
    switch self {
    case .source(let source): .source(RedactedURL.withoutUsers(source, isOne: true))
    case .tagged(let source, let tag):
      .tagged(source: RedactedURL.withoutUsers(source, isOne: true), tag: tag)
    case .sourcePrefix(let prefix): .sourcePrefix(RedactedURL.withoutUsers(prefix, isOne: true))
    case .tag, .host, .origin: self
    }
  }
}

extension ImagePipeline {
  /// The cached entries of the pipeline.
  public nonisolated var cache: ImagePipeline.Cache { ImagePipeline.Cache(pipeline: self) }
}
