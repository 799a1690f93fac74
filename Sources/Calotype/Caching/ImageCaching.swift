public import CalotypeCaching

/// A cache of decoded images. `MemoryCache<CachedImage>` is the default.
///
/// Conform to this protocol to keep decoded images elsewhere, or to watch the cache:
///
/// ```swift
/// import Synchronization
///
/// final class DictionaryCache: ImageCaching {
///   private let images = Mutex([CacheKey: CachedImage]())
///
///   func image(for key: CacheKey) -> CachedImage? { images.withLock { $0[key] } }
///   func store(_ image: CachedImage, for key: CacheKey, cost: Int) { images.withLock { $0[key] = image } }
///   func remove(_ key: CacheKey) -> Bool { images.withLock { $0.removeValue(forKey: key) != nil } }
///   func removeAll() { images.withLock { $0 = [:] } }
///   func removeAll(_ selection: CacheSelection) -> Int {
///     images.withLock { images in
///       let all = images.count
///       images = images.filter { !selection.contains(source: $0.key.source, tags: $0.value.tags) }
///       return all - images.count
///     }
///   }
/// }
/// ```
///
/// All members are synchronous, so that a hit costs no suspension, and are called from any thread: they must not
/// wait for anything but a short lock. A cache bounds its memory itself, by the costs of its images. It need not
/// know freshness: the pipeline checks that of each image it gets.
///
/// `MemoryCache` does more: it finds larger sizes for ``ImageRequest/acceptsLarger`` and evicted images that are
/// still in use, counts for ``ImagePipeline/Cache/memoryStatistics``, and follows
/// ``ImagePipeline/Configuration/memoryPressure``. Another cache that gives up memory under pressure is one of
/// ``ImagePipeline/Configuration/memoryPressureFollowers``.
public protocol ImageCaching: Sendable {
  /// Returns the image of a key, regardless of its age; `nil` if there is none. Counts as an access.
  func image(for key: CacheKey) -> CachedImage?

  /// Stores an image, replacing an existing one of the key; a cache may decline to.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - key: Its identity.
  ///   - cost: Its size in memory, in bytes.
  func store(_ image: CachedImage, for key: CacheKey, cost: Int)

  /// Removes the image of a key. It cannot be found any more when the call returns.
  ///
  /// - Returns: Whether there was one.
  @discardableResult func remove(_ key: CacheKey) -> Bool

  /// Removes the images of a selection, which `CacheSelection.contains(source:tags:)` decides by the source of the
  /// key and ``CachedImage/tags``.
  ///
  /// - Returns: The number of removed images.
  @discardableResult func removeAll(_ selection: CacheSelection) -> Int

  /// Removes all images.
  func removeAll()
}
