import Calotype
import CalotypeCaching
import CalotypeResults
import CalotypeTiers
import FoundationEssentials
import Synchronization

/// The results of a server: in memory, on disk if there is a folder, and in the caches that nodes share.
///
/// Work that began before a purge stores nothing that the purge selects. With a log of purges, records carry their position in
/// it, and purges of other nodes count as well.
final class ResultStore: Sendable {
  private let memory: MemoryCache<StoredResult>
  private let disk: DiskCache?
  private let shared: SharedResults?
  private let log: (any PurgeLogging)?
  private let purges = Mutex(PurgeTable())
  private let observation = Mutex<PurgeObservation?>(nil)
  private let times = Mutex([CacheTier: DurationHistogram]())

  init(
    memory: MemoryCache<StoredResult>, disk: DiskCache?, shared: SharedResults? = nil,
    log: (any PurgeLogging)? = nil
  ) {
    (self.memory, self.disk, self.shared, self.log) = (memory, disk, shared, log)
    let registration = log?.observe { [weak self] purges in
      for purge in purges { self?.apply(purge) }
    }
    observation.withLock { $0 = registration }
  }

  /// The position of the log of purges before a source is asked, for ``store(_:for:since:position:)``.
  var position: Int? { log?.position }

  /// Whether there is a cache that nodes share.
  var isShared: Bool { shared != nil }

  /// The moment at which work begins, for ``store(_:for:since:)``.
  var generation: Int { purges.withLock(\.generation) }

  /// Returns whether a purge has selected a result since a generation. Old purges may be forgotten: then it counts as purged.
  func wasPurged(_ identity: ResultIdentity, tags: [String], since start: Int) -> Bool {
    let facts = ResultFacts(identity: identity.text, source: identity.key.source, tags: tags)
    return purges.withLock { !$0.isValid(facts, since: start) }
  }

  /// The use of the memory.
  var memoryStatistics: MemoryTier.Statistics { memory.statistics }

  /// The activity of the disk; `nil` without a folder.
  var diskActivity: DiskCache.Statistics? { disk?.activity }

  /// The durations of reads of each tier but the memory.
  var readTimes: [CacheTier: DurationHistogram] { times.withLock { $0 } }

  /// Returns a result in memory, fresh or stale. Never suspends.
  func cached(_ identity: ResultIdentity) -> StoredResult? {
    memory.value(for: identity.key, allowingStale: true)
  }

  /// Returns a result on disk or in a shared cache, and keeps it in the faster tiers. A tier that fails has none.
  func read(_ identity: ResultIdentity) async -> (result: StoredResult, tier: CacheTier)? {
    if let disk, let result = await read(identity, from: disk, .disk) { return (result, .disk) }
    return await readShared(identity)
  }

  /// Returns a result in a shared cache, and keeps it in the faster tiers.
  func readShared(_ identity: ResultIdentity) async -> (result: StoredResult, tier: CacheTier)? {
    guard let shared else { return nil }
    if let small = shared.small, let result = await read(identity, from: small, .redis) {
      return (result, .redis)
    }
    return await read(identity, from: shared.bucket, .bucket).map { ($0, .bucket) }
  }

  private func read(
    _ identity: ResultIdentity, from cache: any DataCaching, _ tier: CacheTier
  ) async -> StoredResult? {
    let (start, clock) = (generation, ContinuousClock.now)
    let record = try? await cache.read(identity.key) { [log] metadata in
      log?.verdict(source: identity.key.source, tags: metadata.tags, at: metadata.position) != .gone
    }
    let time = ContinuousClock.now - clock
    times.withLock { $0[tier, default: DurationHistogram()].add(time) }
    return record.flatMap { keep($0, identity, since: start, of: tier) }
  }

  /// Keeps a result of a tier in the faster ones, and returns it; `nil` if it was purged, or is none.
  ///
  /// - Parameter tier: The tier that has it; `nil` for another node.
  func keep(
    _ record: CacheRecord, _ identity: ResultIdentity, since start: Int, of tier: CacheTier? = nil
  ) -> StoredResult? {
    let verdict =
      log?.verdict(
        source: identity.key.source, tags: record.metadata.tags, at: record.metadata.position) ?? .valid
    guard verdict != .gone, var result = StoredResult(record) else { return nil }
    // The source is asked whether it is still as it was.
    if verdict == .stale { result.freshUntil = .distantPast }
    keepInMemory(result, identity, since: start)
    guard verdict == .valid else { return result }
    if tier == .bucket {
      shared?.small?.storeLater(record.data, metadata: record.metadata, for: identity.key)
    }
    if tier != .disk { _ = try? disk?.handOver(record.data, metadata: record.metadata, for: identity.key) }
    return result
  }

  /// Stores a result, unless a purge has selected it since work on it began. One that may not be stored takes the place of
  /// an earlier one that might.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - identity: Its identity.
  ///   - start: The generation in which the work began.
  ///   - position: The position of the log of purges before its source was asked.
  /// - Returns: Whether it was kept.
  @discardableResult
  func store(
    _ result: StoredResult, for identity: ResultIdentity, since start: Int, position: Int?
  ) async -> Bool {
    guard result.isStorable else {
      memory.remove(identity.key)
      _ = try? await disk?.remove(identity.key)
      return false
    }
    guard isValid(result, identity, since: start) else { return false }
    keepInMemory(result, identity, since: start)
    let metadata = metadata(of: result, identity, position: position)
    await shared?.store(result.data, metadata: metadata, for: identity.key)
    guard let disk else { return true }
    // Written behind the response. A disk that is full or stalls costs its own cache only.
    guard let pending = try? disk.handOver(result.data, metadata: metadata, for: identity.key) else {
      return true
    }
    if start < generation {
      // A purge that came in between may have missed the record.
      Task { [self] in
        try? await pending.written()
        if !isValid(result, identity, since: start) { _ = try? await disk.remove(identity.key) }
      }
    }
    return true
  }

  /// Returns whether other nodes can read a result that was stored, as far as known.
  func isShared(_ result: StoredResult) -> Bool { shared?.has(result) ?? false }

  /// Returns the metadata of the record of a result.
  func metadata(of result: StoredResult, _ identity: ResultIdentity, position: Int?) -> RecordMetadata {
    var metadata = result.metadata(identity: identity.text)
    metadata.position = position
    return metadata
  }

  /// Removes results, at all nodes that share a log of purges.
  ///
  /// - Returns: The number of records on disk, or of entries in memory without a disk.
  /// - Throws: `CachingError`, also when the log cannot be reached: nothing was purged then.
  func purge(_ selection: PurgeSelection) async throws -> Int {
    let chosen = Self.chosen(by: selection)
    if let log {
      _ = try await log.append(SharedPurge(chosen.map { .selection($0) } ?? .all, mode: .gone))
    }
    purges.withLock { _ = $0.purge(selection) }
    guard let chosen else {
      let count = memory.statistics.count
      memory.removeAll()
      return try await disk?.removeAll() ?? count
    }
    let count = memory.removeAll(chosen)
    return try await disk?.removeAll(chosen) ?? count
  }

  /// Applies a purge of another node. Records on disk are not used because of their positions.
  private func apply(_ purge: SharedPurge) {
    switch purge.scope {
    case .all:
      purges.withLock { _ = $0.purge(.all) }
      memory.removeAll()
    case .selection(let selection):
      let known: PurgeSelection =
        switch selection {
        case .source(let text): .source(text)
        case .sourcePrefix(let text): .prefix(text)
        case .tag(let text) where text.hasPrefix("tag "): .tag(String(text.dropFirst(4)))
        case .tag(let text) where text.hasPrefix("result "): .identity(String(text.dropFirst(7)))
        // Of another program: work in progress counts as purged.
        default: .all
        }
      purges.withLock { _ = $0.purge(known) }
      memory.removeAll(selection)
    }
  }

  /// Returns the records that a purge selects; `nil` for all.
  private static func chosen(by selection: PurgeSelection) -> CacheSelection? {
    switch selection {
    case .all: nil
    case .identity(let text): .tag("result " + text)
    case .source(let text): .source(text)
    case .prefix(let text): .sourcePrefix(text)
    case .tag(let text): .tag("tag " + text)
    }
  }

  /// Writes a record that no request has, removes it, and returns whether both succeeded; true without a disk.
  func isWritable() async -> Bool {
    guard let disk else { return true }
    do {
      let key = CacheKey("canary")
      try await disk.handOver(Data("canary".utf8), for: key).written()
      // Another probe may have removed it at the same time.
      _ = try await disk.remove(key)
      return true
    } catch {
      return false
    }
  }

  /// Waits until everything is on disk.
  func flush() async { try? await disk?.flush() }

  private func keepInMemory(_ result: StoredResult, _ identity: ResultIdentity, since start: Int) {
    var kept = result
    kept.timings = ServerTiming()
    memory.store(
      kept, for: identity.key, cost: kept.cost,
      tags: StoredResult.recordTags(kept.tags, identity: identity.text))
    // A purge may have taken place meanwhile.
    if !isValid(result, identity, since: start) { memory.remove(identity.key) }
  }

  private func isValid(_ result: StoredResult, _ identity: ResultIdentity, since start: Int) -> Bool {
    let facts = ResultFacts(identity: identity.text, source: identity.key.source, tags: result.tags)
    return purges.withLock { $0.isValid(facts, since: start) }
  }
}
