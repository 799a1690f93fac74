import Calotype
import CalotypeCaching
import CalotypeResults
import FoundationEssentials
import Synchronization

/// The results of a server: in memory, and on disk if there is a folder.
///
/// Work that began before a purge stores nothing that the purge selects.
final class ResultStore: Sendable {
  private let memory: MemoryCache<StoredResult>
  private let disk: DiskCache?
  private let purges = Mutex(PurgeTable())

  init(memory: MemoryCache<StoredResult>, disk: DiskCache?) {
    (self.memory, self.disk) = (memory, disk)
  }

  /// The moment at which work begins, for ``store(_:for:since:)``.
  var generation: Int { purges.withLock(\.generation) }

  /// Returns whether a purge has selected a result since a generation. Old purges may be forgotten: then it counts as purged.
  func wasPurged(_ identity: ResultIdentity, tags: [String], since start: Int) -> Bool {
    let facts = ResultFacts(identity: identity.text, source: identity.key.source, tags: tags)
    return purges.withLock { !$0.isValid(facts, since: start) }
  }

  /// The use of the memory.
  var memoryStatistics: MemoryTier.Statistics { memory.statistics }

  /// Returns a result in memory, fresh or stale. Never suspends.
  func cached(_ identity: ResultIdentity) -> StoredResult? {
    memory.value(for: identity.key, allowingStale: true)
  }

  /// Returns a result on disk, and keeps it in memory. A disk that fails has none.
  func read(_ identity: ResultIdentity) async -> StoredResult? {
    guard let disk else { return nil }
    let start = generation
    guard let record = try? await disk.read(identity.key), let result = StoredResult(record) else {
      return nil
    }
    keepInMemory(result, identity, since: start)
    return result
  }

  /// Stores a result, unless a purge has selected it since work on it began. One that may not be stored takes the place of
  /// an earlier one that might.
  func store(_ result: StoredResult, for identity: ResultIdentity, since start: Int) async {
    guard result.isStorable else {
      memory.remove(identity.key)
      _ = try? await disk?.remove(identity.key)
      return
    }
    guard isValid(result, identity, since: start) else { return }
    keepInMemory(result, identity, since: start)
    guard let disk else { return }
    // Written behind the response. A disk that is full or stalls costs its own cache only.
    guard
      let pending = try? disk.handOver(
        result.data, metadata: result.metadata(identity: identity.text), for: identity.key)
    else { return }
    if start < generation {
      // A purge that came in between may have missed the record.
      Task { [self] in
        try? await pending.written()
        if !isValid(result, identity, since: start) { _ = try? await disk.remove(identity.key) }
      }
    }
  }

  /// Removes results.
  ///
  /// - Returns: The number of records on disk, or of entries in memory without a disk.
  func purge(_ selection: PurgeSelection) async throws -> Int {
    purges.withLock { _ = $0.purge(selection) }
    let chosen: CacheSelection? =
      switch selection {
      case .all: nil
      case .identity(let text): .tag("result " + text)
      case .source(let text): .source(text)
      case .prefix(let text): .sourcePrefix(text)
      case .tag(let text): .tag("tag " + text)
      }
    guard let chosen else {
      let count = memory.statistics.count
      memory.removeAll()
      return try await disk?.removeAll() ?? count
    }
    let count = memory.removeAll(chosen)
    return try await disk?.removeAll(chosen) ?? count
  }

  /// Writes a record that no request has, and returns whether it is on disk; true without a disk.
  func isWritable() async -> Bool {
    guard let disk else { return true }
    do {
      try await disk.handOver(Data("canary".utf8), for: CacheKey("canary")).written()
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
