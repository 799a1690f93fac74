public import CalotypeCaching
import CalotypeSupport

extension ImageCache {
  /// The contents and the activity of an ``ImageCache``.
  public struct Statistics: Hashable, Sendable {
    /// The size and the activity of memory, including entries of others that share it; `nil` without memory.
    public internal(set) var memory: MemoryTier.Statistics?
    /// The size and the activity of the disk, including records of others that share it; `nil` if it is no `DiskCache`.
    public internal(set) var disk: DiskCache.Statistics?
    /// The number of decodes so far.
    public internal(set) var decodes = 0
    /// The number of encodes so far.
    public internal(set) var encodes = 0
    /// The number of queries that shared the work of an earlier one.
    public internal(set) var joined = 0
    /// The number of records that were removed because they were no images.
    public internal(set) var discarded = 0
    /// Queries that are being read or decoded now, equal ones counting as one, and the most at a time.
    public internal(set) var running = 0
    /// The most queries that were read or decoded at a time.
    public internal(set) var peakRunning = 0
    /// The number of calls that wait now.
    public internal(set) var waiting = 0
    /// The most calls that waited at a time.
    public internal(set) var peakWaiting = 0
    /// The number of calls that were refused because too many waited.
    public internal(set) var refused = 0
    /// The number of records that ``ImageCache/Configuration/migratesFrom`` has moved.
    public internal(set) var migrated = 0
    /// The error that ended the migration early.
    public internal(set) var migrationFailure: CachingError?
  }

  /// Returns the contents and the activity of the cache.
  ///
  /// - Throws: `CachingError` if the folder cannot be read.
  public func statistics() async throws -> Statistics {
    var result = Statistics()
    result.memory = memory?.statistics
    result.disk = try await diskCache?.statistics()
    let queries = queries.statistics
    (result.joined, result.refused) = (queries.joined, queries.refused)
    (result.running, result.peakRunning) = (queries.running, queries.peakRunning)
    (result.waiting, result.peakWaiting) = (queries.waiting, queries.peakWaiting)
    counters.withLock { counters in
      (result.decodes, result.encodes) = (counters.decodes, counters.encodes)
      result.discarded = counters.discarded
      (result.migrated, result.migrationFailure) = (counters.migrated, counters.migrationFailure)
    }
    return result
  }
}
