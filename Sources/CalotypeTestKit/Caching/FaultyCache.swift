public import CalotypeCaching
import CalotypeSupport
public import FoundationEssentials

/// A cache in memory that fails or waits when a test wants it to, and keeps what it is given otherwise.
///
/// ```swift
/// let cache = FaultyCache()
/// cache.fail(.store, with: .diskFull(path: "/cache"), times: 1)
/// let gate = Gate()
/// cache.hold(.read, at: gate)
/// let pipeline = ImagePipeline(.init(loader: loader, diskCache: cache))
/// …
/// #expect(cache.calls(.store) == 2 && cache.keys.count == 1)
/// ```
///
/// There is no limit of bytes. Records go when they expire. For one that is only read, wrap it in a `ReadOnlyCache`.
public final class FaultyCache: DataCaching {
  /// The operations of a cache.
  public enum Verb: Hashable, Sendable, CaseIterable {
    /// Reading a record.
    case read
    /// Storing a record.
    case store
    /// Asking whether there is a record.
    case contains
    /// Removing one record.
    case remove
    /// Removing a selection, or everything.
    case removeAll
    /// Waiting for what was stored.
    case flush
  }

  private struct State {
    var records: [CacheKey: CacheRecord] = [:]
    var faults: [Verb: (error: CachingError, times: Int)] = [:]
    var gates: [Verb: Gate] = [:]
    var calls: [Verb: Int] = [:]

    /// The record, unless it has expired.
    mutating func record(_ key: CacheKey, at time: Date) -> CacheRecord? {
      if let expires = records[key]?.metadata.expires, expires <= time { records[key] = nil }
      return records[key]
    }
  }

  private let journal = EventLog(State())
  private let now: @Sendable () -> Date

  /// An empty cache that works.
  ///
  /// - Parameter now: The clock that tells what has expired.
  public init(now: @escaping @Sendable () -> Date = { Date.now }) {
    self.now = now
  }

  // MARK: Switches

  /// Lets the next calls of a verb fail; such a call changes nothing.
  public func fail(_ verb: Verb, with error: CachingError, times: Int = .max) {
    journal.note { $0.faults[verb] = (error, times) }
  }

  /// Lets calls of a verb wait until `gate` is open, before they do or fail to do anything. A call whose task is cancelled
  /// meanwhile fails with `CachingError.cancelled`.
  public func hold(_ verb: Verb, at gate: Gate) {
    journal.note { $0.gates[verb] = gate }
  }

  /// Lets all calls succeed again, and new ones without waiting.
  public func heal() {
    journal.note { state in
      state.faults = [:]
      state.gates = [:]
    }
  }

  // MARK: What it saw

  /// How often a verb was called, failures included.
  public func calls(_ verb: Verb) -> Int { journal.entries.calls[verb, default: 0] }

  /// Suspends until a verb was called `count` times: the call has come in, and may be held.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func waitForCalls(_ verb: Verb, count: Int = 1) async throws {
    try await journal.wait { $0.calls[verb, default: 0] >= count }
  }

  /// The keys of all records that are there, by their texts. No access, and not counted, as ``record(_:)``.
  public var keys: [CacheKey] {
    let time = now()
    return journal.entries.records
      .filter { $0.value.metadata.expires.map { time < $0 } ?? true }
      .keys.sorted { $0.text < $1.text }
  }

  /// The record of a key, or `nil`.
  public func record(_ key: CacheKey) -> CacheRecord? {
    let time = now()
    return journal.note { $0.record(key, at: time) }
  }

  // MARK: Caching

  /// The record of a key, or `nil`; counts as an access.
  public func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
    try await enter(.read)
    let time = now()
    return journal.note { state in
      guard let record = state.record(key, at: time) else { return nil }
      state.records[key] = CacheRecord(
        data: record.data, metadata: record.metadata, created: record.created, accessed: time)
      return record
    }
  }

  /// Stores a record, replacing the one the key had.
  public func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
    try await enter(.store)
    let time = now()
    // A copy, because indices of records start at zero.
    let record = CacheRecord(data: Data(data), metadata: metadata, created: time, accessed: time)
    journal.note { $0.records[key] = record }
  }

  /// Whether there is a record; no access.
  public func contains(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await enter(.contains)
    return record(key) != nil
  }

  /// Removes the record of a key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func remove(_ key: CacheKey) async throws(CachingError) -> Bool {
    try await enter(.remove)
    return removeRecords { candidate, _ in candidate == key } == 1
  }

  /// Removes the records of a selection.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    try await enter(.removeAll)
    return removeRecords { selection.contains(source: $0.source, tags: $1.metadata.tags) }
  }

  /// Removes all records.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func removeAll() async throws(CachingError) -> Int {
    try await enter(.removeAll)
    return removeRecords { _, _ in true }
  }

  /// Does nothing: what was stored is where it stays.
  public func flush() async throws(CachingError) {
    try await enter(.flush)
  }

  /// Counts a call, waits and fails as told.
  private func enter(_ verb: Verb) async throws(CachingError) {
    let (gate, fault) = journal.note { state -> (Gate?, CachingError?) in
      state.calls[verb, default: 0] += 1
      guard let fault = state.faults[verb], fault.times > 0 else { return (state.gates[verb], nil) }
      state.faults[verb] = (fault.error, fault.times - 1)
      return (state.gates[verb], fault.error)
    }
    do {
      try await gate?.wait()
    } catch {
      throw .cancelled
    }
    if let fault { throw fault }
  }

  /// Removes those that have not expired and are chosen, and tells how many these were.
  private func removeRecords(_ isChosen: (CacheKey, CacheRecord) -> Bool) -> Int {
    let time = now()
    return journal.note { state in
      let chosen = state.records.filter { isChosen($0.key, $0.value) }.keys
      return chosen.count { key in
        defer { state.records[key] = nil }
        return state.record(key, at: time) != nil
      }
    }
  }
}
