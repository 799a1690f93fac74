import CalotypeCaching
import FoundationEssentials

/// The cache of decoded images as the pipeline uses it.
///
/// The built-in cache is called directly, because a hit takes about as long as a call through a protocol; it knows
/// the freshness and the sizes of its images. Of all others, the pipeline judges the freshness.
enum DecodedTier: Sendable {
  case memory(MemoryCache<CachedImage>)
  // Indirect, so that the common case is one reference.
  indirect case other(any ImageCaching)

  init(_ cache: any ImageCaching) {
    self = if let memory = cache as? MemoryCache<CachedImage> { .memory(memory) } else { .other(cache) }
  }

  var cache: any ImageCaching {
    switch self {
    case .memory(let memory): memory
    case .other(let cache): cache
    }
  }

  /// The built-in cache.
  var memory: MemoryCache<CachedImage>? {
    if case .memory(let memory) = self { memory } else { nil }
  }

  /// Returns the image of a key.
  ///
  /// - Parameters:
  ///   - key: Its identity.
  ///   - allowingStale: Whether stale images count.
  ///   - now: The clock for the freshness of images in other caches than the built-in one.
  @inline(__always)
  func value(for key: CacheKey, allowingStale: Bool, now: @autoclosure () -> Date) -> CachedImage? {
    switch self {
    case .memory(let memory): memory.value(for: key, allowingStale: allowingStale)
    case .other(let cache): Self.value(for: key, in: cache, allowingStale: allowingStale, now: now())
    }
  }

  // Separate from hits of the built-in cache, which it would slow down.
  @inline(never)
  private static func value(
    for key: CacheKey, in cache: any ImageCaching, allowingStale: Bool, now: Date
  ) -> CachedImage? {
    guard let cached = cache.image(for: key) else { return nil }
    if cached.provenance.freshness(at: now) != .zero { return cached }
    // Damaged images expire then, even for requests that accept stale ones.
    return allowingStale && !cached.image.isDamaged ? cached : nil
  }

  /// Returns whether there is a fresh image. In the built-in cache, it does not count as an access.
  func contains(_ key: CacheKey, now: @autoclosure () -> Date) -> Bool {
    switch self {
    case .memory(let memory): memory.contains(key)
    case .other(let cache):
      Self.value(for: key, in: cache, allowingStale: false, now: now()) != nil
    }
  }

  /// Returns the smallest sufficient size of an image; only the built-in cache knows sizes.
  func value(coveringAtLeast sizeVariant: MemoryTier.SizeVariant, allowingStale: Bool) -> CachedImage? {
    memory?.value(coveringAtLeast: sizeVariant, allowingStale: allowingStale)
  }

  /// Stores an image.
  ///
  /// - Parameters:
  ///   - cached: The image, with its tags.
  ///   - key: Its identity.
  ///   - freshness: The remaining time that it is fresh; `nil` for no limit.
  ///   - sizeVariant: The picture and its size, if it may serve other sizes.
  func store(
    _ cached: CachedImage, for key: CacheKey, freshness: Duration? = nil, sizeVariant: MemoryTier.SizeVariant?
  ) {
    switch self {
    case .memory(let memory):
      memory.store(
        cached, for: key, cost: cached.cost,
        // Damaged images expire then, even for requests that accept stale ones.
        timeToLive: cached.image.isDamaged ? [freshness, memory.timeToLive].compactMap(\.self).min() : nil,
        freshFor: freshness, tags: cached.tags, sizeVariant: sizeVariant)
    case .other(let cache): cache.store(cached, for: key, cost: cached.cost)
    }
  }

  func remove(_ key: CacheKey) {
    switch self {
    case .memory(let memory): memory.remove(key)
    case .other(let cache): cache.remove(key)
    }
  }
}
