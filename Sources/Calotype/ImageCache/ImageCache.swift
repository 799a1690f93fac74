public import CalotypeCaching
public import CalotypeImaging
import CalotypeSupport
public import FoundationEssentials

/// Images by keys of the program, in memory and on disk. It needs neither a pipeline nor a network.
///
/// Use it for images that the program makes itself, such as charts, badges or rendered pages. For images at URLs, an
/// ``ImagePipeline`` has caches of its own.
///
/// ```swift
/// let cache = ImageCache()
/// if let badge = try await cache.image(for: "badge/42") { return badge }
/// try await cache.store(drawn, for: "badge/42", options: .init(tags: ["user 42"]))
/// ```
///
/// A key is any text, of any length. It is never a file name. Two keys are equal if their UTF-8 bytes are equal.
///
/// Memory holds decoded images, the disk holds encoded ones. An image that is stored without its encoded data is encoded
/// by ``Encoding``. Concurrent queries for an image share one read and one decode, which a query that is cancelled
/// leaves to the others. Stores and removals of one key happen one after another, in both tiers: a query that begins
/// after a store never returns an earlier image.
///
/// Several caches may share a folder, a `DiskCache` or a `MemoryCache`, also with pipelines: the keys and tags of a cache
/// are distinct from those of pipelines, and of caches with another ``Configuration/name``. Caches of the same name share
/// their images on disk. `removeAll()` of a pipeline empties all of its `DiskCache`, so the default is a namespace of its
/// own.
///
/// All methods may be called from any task. They throw `CachingError` for the disk, for too many calls at once and for
/// cancellation, and `ImagingError` for images that cannot be encoded or decoded.
public final class ImageCache: Sendable {
  /// The configuration.
  public let configuration: Configuration
  /// The cache of decoded images; `nil` for none.
  public let memory: MemoryCache<CachedImage>?
  /// The cache of encoded images, including the read-only caches behind it; `nil` for none.
  public let disk: (any DataCaching)?

  let keys: ImageKeySpace
  let queries: ImageQueries
  let workers: WorkerExecutor
  let now: @Sendable () -> Date
  let counters = Lock(Counters())
  private let migration = ImageMigration()
  /// Stores and removals of a key take turns, so that both tiers see them in one order.
  private let turns = (0..<64).map { _ in AsyncMutex() }

  /// The counts of events since the creation.
  struct Counters {
    var decodes = 0
    var encodes = 0
    var discarded = 0
    var migrated = 0
    var migrationFailure: CachingError?
  }

  /// Creates a cache. It touches no file before its first use.
  ///
  /// - Parameters:
  ///   - configuration: The name, the coders and the limits.
  ///   - memory: The cache of decoded images; `nil` for none.
  ///   - disk: The cache of encoded images; `nil` for none. The default is in a namespace of the default folder, with
  ///     1 GiB at most. Its images expire seven days after their last access; `DiskCache.Configuration.ageOrigin` counts
  ///     from the store instead.
  ///   - readOnly: Caches that are searched after `disk`, in this order, and never changed: for example a `DiskCache`
  ///     of a folder that is shipped with the program. Images found there are not copied to `disk`.
  ///   - now: The clock of lifetimes.
  public init(
    _ configuration: Configuration = Configuration(),
    memory: MemoryCache<CachedImage>? = MemoryCache(),
    disk: (any DataCaching)? = DiskCache(DiskCache.Configuration(namespace: "images")),
    readOnly: [any DataCaching] = [],
    now: @escaping @Sendable () -> Date = { Date.now }
  ) {
    self.configuration = configuration
    self.memory = memory
    if readOnly.isEmpty {
      self.disk = disk
    } else {
      self.disk = CacheGroup(
        (disk.map { [$0] } ?? []) + readOnly.map { ReadOnlyCache($0) }, fillsHigherTiers: false)
    }
    self.now = now
    keys = ImageKeySpace(name: configuration.name)
    let threads = configuration.concurrency ?? Threads.availableProcessors
    workers = WorkerExecutor(name: "calotype-images", threads: threads)
    // Each holds the encoded bytes of an image: one is read while another is decoded.
    queries = ImageQueries(limit: max(1, threads) * 2, callerLimit: configuration.waitingLimit)
  }

  // MARK: Queries

  /// Returns the image of a key, from memory or from disk; `nil` if there is none.
  ///
  /// An image in memory is returned without suspension. An image on disk is decoded on a thread of the cache, under
  /// ``Configuration/limits``, and put into memory. A record that is damaged, or that is no image, is removed and counts
  /// as absent.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - thumbnail: The size to shrink to; `nil` for the full size. Each size is kept in memory for itself. It is made
  ///     from the full size if that is in memory, and decoded at that size otherwise.
  /// - Throws: `CachingError`: of the disk, `CachingError.overloaded`, and
  ///   `CachingError.cancelled`. `ImagingError` for an image that exceeds a limit, or without a decoder
  ///   for its format; it stays on disk.
  public func image(for key: String, thumbnail: Thumbnail? = nil) async throws -> Image? {
    let query = ImageQuery(keys.key(key), thumbnail: thumbnail)
    if let cached = memory?.value(for: query.key) { return cached.image }
    return try await found(query)?.image
  }

  /// Returns the image of a key from memory; `nil` if it is not there. Never suspends.
  ///
  /// - Complexity: O(length of the key).
  public func imageInMemory(for key: String, thumbnail: Thumbnail? = nil) -> Image? {
    memory?.value(for: ImageQuery(keys.key(key), thumbnail: thumbnail).key)?.image
  }

  /// Returns the image of a key with all its frames; a still image is an animation of one frame. Queries like
  /// ``image(for:thumbnail:)``. The result needs the encoded image: an image that is only in memory has none.
  ///
  /// - Throws: As ``image(for:thumbnail:)``.
  public func animation(for key: String) async throws -> AnimatedImage? {
    let query = ImageQuery(keys.key(key), isAnimation: true)
    if let animation = memory?.value(for: query.key)?.animation { return animation }
    return try await found(query)?.animation
  }

  /// Returns the encoded image of a key as it is on disk; `nil` if there is none.
  ///
  /// - Throws: `CachingError`.
  public func data(for key: String) async throws -> Data? {
    await migrated()
    return try await disk?.read(keys.key(key))?.data
  }

  /// Returns whether one of the tiers has an image of a key. Does not count as an access.
  ///
  /// - Throws: `CachingError`.
  public func contains(_ key: String, in tiers: Tiers = .all) async throws -> Bool {
    let key = keys.key(key)
    if tiers.contains(.memory), memory?.contains(key) == true { return true }
    guard tiers.contains(.disk), let disk else { return false }
    await migrated()
    return try await disk.contains(key)
  }

  private func found(_ query: ImageQuery) async throws -> CachedImage? {
    try await queries.value(of: query) { ticket in try await self.load(query, ticket) }
  }

  // MARK: For the other parts

  /// The tier that images are stored in.
  var writableDisk: (any DataCaching)? { disk.flatMap { $0.isReadOnly ? nil : $0 } }

  /// The cache on disk that the configuration names, behind which read-only ones may be.
  var diskCache: DiskCache? { (disk as? CacheGroup)?.tiers.first as? DiskCache ?? disk as? DiskCache }

  /// Waits for the migration of ``Configuration/migratesFrom``, which the first call starts; at most until the task is
  /// cancelled.
  func migrated() async {
    guard let old = configuration.migratesFrom, let diskCache else { return }
    await migration.finished { [counters] in
      do throws(CachingError) {
        let report = try await diskCache.moveRecords(from: old, namespace: diskCache.configuration.namespace)
        counters.withLock { $0.migrated += report.moved }
      } catch {
        // The images that were not moved are made again.
        counters.withLock { $0.migrationFailure = error }
      }
    }
  }

  /// Runs a change of a key when all earlier ones have ended, and keeps queries that began before from filling memory
  /// afterwards.
  func change<Result>(_ key: CacheKey, _ body: () async throws -> Result) async throws -> Result {
    try await turn(of: key).run { try await queries.changing(.key(key), body) }
  }

  func turn(of key: CacheKey) -> AsyncMutex {
    turns[Int(UInt(bitPattern: key.hashValue) % UInt(turns.count))]
  }

  /// Puts an image into memory for as long as it lives.
  func put(_ cached: CachedImage, for key: CacheKey) {
    guard let memory else { return }
    let life = cached.provenance.freshness(at: now())
    memory.store(
      cached, for: key, cost: cached.cost, timeToLive: [life, memory.timeToLive].compactMap(\.self).min(),
      tags: cached.tags)
  }
}
