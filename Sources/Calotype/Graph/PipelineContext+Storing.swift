import CalotypeCaching
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

/// Reads and writes the entries of disk caches.
extension PipelineContext {
  /// Reads the record of a key, and reserves memory for its bytes. A failing cache costs time, never the
  /// image: the error is counted. The record may be purged at all nodes, and be served while a new one is made.
  ///
  /// The limit on concurrent reads keeps the bytes that are not reserved yet insignificant.
  func readRecord(
    _ key: CacheKey, from cache: any DataCaching, _ plan: ResolvedRequest, _ log: StageLog,
    for priority: LivePriority
  ) async -> (record: CacheRecord, isPurged: Bool, reservation: MemoryReservation?)? {
    do {
      return try await reads.run(priority: priority) {
        // By the time the record is read, a purge in progress may have ended, and another one may have
        // begun.
        let before = purges.withLock { $0 }
        let record = try await stage(.read, plan, log, bytes: { $0?.data.count }) {
          guard configuration.nodes.purges != nil else { return try await cache.read(key) }
          // A slower tier may have the record of a node that has loaded the image since it was purged.
          return try await cache.read(key) { [self] in
            self.verdict(on: key, $0, for: plan.request.tags) != PurgeVerdict.gone
          }
        }
        guard let record, before.isReadable(key, tags: record.metadata.tags),
          purges.withLock({ $0.isValid(key, tags: record.metadata.tags, since: before.now) })
        else { return nil }
        let verdict = self.verdict(on: key, record.metadata, for: plan.request.tags)
        guard verdict != .gone else { return nil }
        return (record, verdict == .stale, try await memory.reserve(record.data.count, in: .encoded))
      }
    } catch {
      counters.count(cacheError: error)
      return nil
    }
  }

  func removeRecord(_ key: CacheKey, from cache: (any DataCaching)?) async {
    do {
      try await cache?.writable?.remove(key)
    } catch {
      counters.count(cacheError: error)
    }
  }

  /// Runs `body`, which stores an entry, when its turn comes; not at all when too many entries wait
  /// already.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes held meanwhile.
  ///   - isResult: Whether the entry is a result, which is dropped when memory is short, rather than an
  ///     original.
  ///   - plan: The request of the entry.
  ///   - priority: The priority of the store.
  ///   - body: The work; returns whether anything was stored.
  /// - Returns: The result of `body`; `nil` if it was not run.
  func storing(
    _ bytes: Int, isResult: Bool, _ plan: ResolvedRequest, priority: LivePriority,
    _ body: @escaping @Sendable () async throws -> Bool
  ) async throws -> Bool? {
    let flow = QueueFlow(partition: plan.request.partition)
    guard stores.refusal(of: flow) == nil, let reservation = memory.tryReserve(bytes, in: .stores) else {
      counters.count { $0.storesShed += 1 }
      return nil
    }
    defer { reservation.release() }
    let claim = WorkQueue.Claim(flow: flow, cost: Int64(1_000 + bytes * 4))
    guard isResult else {
      let turn = try await stores.enter(priority: priority, claim)
      defer { turn.end() }
      return try await body()
    }
    let ticket = storeTickets.add()
    defer { storeTickets.remove(ticket) }
    guard let turn = try await stores.enter(priority: priority, claim, ticket: ticket) else {
      counters.count { $0.storesShed += 1 }
      return nil
    }
    defer { turn.end() }
    storeTickets.remove(ticket)
    return try await body()
  }

  /// Stores a record, unless it was purged since a job began; removes it again if it is purged meanwhile.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - checksum: The checksum of the data, where it is known: a disk cache then does not read the data for it.
  ///   - metadata: The metadata.
  ///   - key: Its identity.
  ///   - cache: The cache.
  ///   - maxAge: How long the record may live; `nil` for no limit.
  ///   - plan: The request.
  ///   - log: The times of the request.
  ///   - epoch: The newest purge when the job began.
  /// - Returns: Whether it is stored.
  func store(
    _ data: Data, checksum: Checksum? = nil, _ metadata: RecordMetadata, for key: CacheKey,
    in cache: any DataCaching, maxAge: Duration?, _ plan: ResolvedRequest, _ log: StageLog, since epoch: Int
  ) async throws -> Bool {
    var limited = metadata
    limited.expire(after: maxAge, from: configuration.now())
    let metadata = limited
    // Purges of other nodes count as well: the bytes may be of before.
    func isValid() -> Bool {
      self.isValid(key, tags: metadata.tags, since: epoch) && verdict(on: key, metadata) == .valid
    }
    guard isValid() else { return false }
    var failure: (any Error)?
    do {
      try await stage(.store, plan, log) {
        if let checksum, let disk = cache as? DiskCache {
          try await disk.store(data, checksum: checksum, metadata: metadata, for: key)
        } else {
          try await cache.store(data, metadata: metadata, for: key)
        }
      }
    } catch {
      // The record may have been stored nevertheless.
      failure = error
    }
    if isValid() {
      if let failure { throw failure }
      return true
    }
    // Not cancelled with the job: purged entries must not return.
    await Task { await removeRecord(key, from: cache) }.value
    return false
  }

  /// Returns whether the results of a job may be stored: no purge since the job began selects them.
  func isValid(_ key: CacheKey, tags: [String], since epoch: Int) -> Bool {
    purges.withLock { $0.isEmpty || $0.isValid(key, tags: tags, since: epoch) }
  }

  /// Runs work that reads the first bytes, or all bytes of a small body: on another thread if there are
  /// many, or if another process reads them.
  func probing<Result: Sendable>(
    _ data: Data, by coders: CoderRegistry? = nil, _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    if data.count <= 32 << 10, coders?.delegates(data) != true {
      try Task.checkCancellation()
      return try body()
    }
    return try await workers.run(body)
  }

  static func code(of error: any Error) -> String {
    (error as? any CalotypeError)?.code ?? (error is CancellationError ? "cancelled" : "unknown")
  }
}
