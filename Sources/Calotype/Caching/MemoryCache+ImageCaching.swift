public import CalotypeCaching
import FoundationEssentials

extension MemoryCache: ImageCaching where Value == CachedImage {
  /// Returns the image of a key, regardless of its age; O(1).
  public nonisolated func image(for key: CacheKey) -> CachedImage? { value(for: key, allowingStale: true) }

  /// Stores an image with its own tags and freshness, and evicts others as needed before it returns; O(1), amortised.
  public nonisolated func store(_ image: CachedImage, for key: CacheKey, cost: Int) {
    _ = store(
      image, for: key, cost: cost, timeToLive: nil, freshFor: image.provenance.freshness(at: .now),
      tags: image.tags,
      sizeVariant: nil)
  }
}
