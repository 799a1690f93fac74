import CalotypeCaching
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

/// The work of queries.
extension ImageCache {
  /// Makes the image of a query from memory or disk, and puts it into memory.
  func load(_ query: ImageQuery, _ ticket: ImageQueries.Ticket) async throws -> CachedImage? {
    if let thumbnail = query.thumbnail, let full = memory?.value(for: query.image) {
      let image = try await workers.run { try full.image.shrunk(to: thumbnail) }
      let cached = CachedImage(image, animation: nil, provenance: full.provenance, tags: full.tags)
      queries.fill(ticket) { put(cached, for: query.key) }
      return cached
    }
    guard let disk else { return nil }
    await migrated()
    // Behind an unusable record, a read-only cache may have a sound one.
    for _ in 0..<2 {
      guard let record = try await disk.read(query.image) else { return nil }
      do {
        let cached = try await decode(record, query)
        queries.fill(ticket) { put(cached, for: query.key) }
        return cached
      } catch let error as ImagingError where error.blamesInput {
        counters.withLock { $0.discarded += 1 }
        guard try await discard(query.image, ticket) else { return nil }
      }
    }
    return nil
  }

  private func decode(_ record: CacheRecord, _ query: ImageQuery) async throws -> CachedImage {
    let (coders, options) = (
      configuration.coders, DecodeOptions(limits: configuration.limits, thumbnail: query.thumbnail)
    )
    counters.withLock { $0.decodes += 1 }
    let (image, animation) = try await workers.run { () throws -> (Image, AnimatedImage?) in
      guard query.isAnimation else { return (try coders.decode(record.data, options: options), nil) }
      let animation = try AnimatedImage(data: record.data, coders: coders, options: options)
      return (try animation.frame(at: 0), animation)
    }
    var expires = record.metadata.expires
    if let end = diskCache?.configuration.storedExpiry(of: record.created) {
      expires = min(expires ?? end, end)
    }
    return cached(image, animation, expires: expires, tags: record.metadata.tags)
  }

  /// Returns an entry of memory.
  func cached(_ image: Image, _ animation: AnimatedImage?, expires: Date?, tags: [String]) -> CachedImage {
    var provenance = OriginalMetadata()
    provenance.freshUntil = expires
    // By then, the source of a damaged image may be sound.
    if image.isDamaged { provenance = provenance.limited(at: now()) }
    return CachedImage(image, animation: animation, provenance: provenance, tags: tags)
  }

  /// Removes a record that is no image, unless another one was stored meanwhile.
  ///
  /// - Returns: Whether another record may be found now.
  private func discard(_ key: CacheKey, _ ticket: ImageQueries.Ticket) async throws -> Bool {
    guard let disk = writableDisk else { return false }
    // Not a change: nothing else can be found by this query or those that joined it.
    return try await turn(of: key).run {
      guard queries.isCurrent(ticket) else { return true }
      return try await disk.remove(key)
    }
  }
}
