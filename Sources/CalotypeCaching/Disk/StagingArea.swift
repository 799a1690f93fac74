import CalotypeSupport

/// The changes that were handed over and are not on disk yet. Reads find them here; they are written in order of
/// arrival.
final class StagingArea: Sendable {
  /// A store that waits for room.
  private struct Entrant {
    let record: StagedRecord
    let entry: CallWaiter<Void>
  }

  private struct State {
    /// The newest change of each key.
    var newest: [Digest256: StagedRecord] = [:]
    var queue: [StagedRecord] = []
    var bytes = 0
    /// Whether the writing thread has been scheduled.
    var isServed = false
    /// Stores that wait for room, in order of arrival.
    var entrants: [Entrant] = []
    /// The number of departures so far.
    var departures = 0
    /// The number of flushes in progress.
    var flushes = 0

    /// Removals take no room, and there is no wait for one that was refused.
    func hasRoom(for record: StagedRecord, byteLimit: Int) -> Bool {
      record.weight == 0 || bytes == 0 || record.weight <= byteLimit - bytes
    }

    mutating func append(_ record: StagedRecord) {
      newest[record.key.digest] = record
      queue.append(record)
      bytes += record.weight
    }

    /// - Returns: The stores that were admitted.
    mutating func depart(_ weight: Int, byteLimit: Int) -> [CallWaiter<Void>] {
      bytes -= weight
      departures += 1
      var count = 0
      while count < entrants.count, hasRoom(for: entrants[count].record, byteLimit: byteLimit) {
        append(entrants[count].record)
        count += 1
      }
      guard count > 0 else { return [] }
      defer { entrants.removeFirst(count) }
      return entrants[..<count].map(\.entry)
    }
  }

  private let state = Lock(State())
  private let byteLimit: Int

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  /// The outcome of handing over a change.
  enum Admission: Sendable {
    /// It is queued, and the writing thread must be scheduled.
    case first
    case queued
    case full(bytes: Int)
  }

  /// Adds a change.
  ///
  /// - Parameter entry: Resolved when there is room, if there is none now. Until then, ``withdraw(_:)`` takes the
  ///   change back.
  func add(_ record: StagedRecord, waitingFor entry: CallWaiter<Void>? = nil) -> Admission {
    state.withLock { state in
      // Waiting stores are not overtaken by smaller ones.
      let isFirst = state.entrants.isEmpty || record.weight == 0
      guard isFirst, state.hasRoom(for: record, byteLimit: byteLimit) else {
        if let entry { state.entrants.append(Entrant(record: record, entry: entry)) }
        return .full(bytes: state.bytes)
      }
      state.append(record)
      defer { state.isServed = true }
      return state.isServed ? .queued : .first
    }
  }

  /// Withdraws a store that waits for room.
  ///
  /// - Returns: Whether it was waiting.
  func withdraw(_ record: StagedRecord) -> Bool {
    state.withLock { state in
      guard let place = state.entrants.firstIndex(where: { $0.record === record }) else { return false }
      state.entrants.remove(at: place)
      return true
    }
  }

  /// The newest change of a key that is not written yet.
  func newest(_ digest: Digest256) -> StagedRecord? {
    state.withLock { $0.newest.isEmpty ? nil : $0.newest[digest] }
  }

  /// Takes the oldest changes, which stay readable until ``finish(_:)``; none when the queue is empty. They are either
  /// stores or removals. A store that a later change of its key supersedes is left out, and gets the outcome of that
  /// change.
  ///
  /// - Returns: The changes to write, and the number of changes taken from the queue.
  func take(_ count: Int) -> (records: [StagedRecord], taken: Int) {
    let (records, taken, entered) = state.withLock { state -> ([StagedRecord], Int, [CallWaiter<Void>]) in
      var records: [StagedRecord] = []
      var taken = 0
      var weight = 0
      for record in state.queue {
        guard records.count < count, record.isStore == records.first?.isStore ?? record.isStore else { break }
        taken += 1
        // Removals are always carried out, because the store after them may fail.
        if record.isStore, let newest = state.newest[record.key.digest], newest !== record {
          newest.adopt(record)
          weight += record.weight
        } else {
          records.append(record)
        }
      }
      state.queue.removeFirst(taken)
      if taken == 0 { state.isServed = false }
      return (records, taken, weight > 0 ? state.depart(weight, byteLimit: byteLimit) : [])
    }
    for entry in entered { entry.resolve(.success(())) }
    return (records, taken)
  }

  /// The changes are on disk, or have failed.
  func finish(_ record: StagedRecord) {
    let entered = state.withLock { state in
      if state.newest[record.key.digest] === record { state.newest[record.key.digest] = nil }
      return state.depart(record.weight, byteLimit: byteLimit)
    }
    for entry in entered { entry.resolve(.success(())) }
  }

  /// Gives up the stores that have not been taken yet, including those that wait for room.
  ///
  /// - Parameters:
  ///   - error: The error they fail with.
  ///   - sparesFlushed: Whether they stay while a flush is in progress.
  /// - Returns: The number of stores given up.
  func abandonStores(with error: CachingError, sparesFlushed: Bool) -> Int {
    let (records, entrants) = state.withLock { state -> ([StagedRecord], [Entrant]) in
      if sparesFlushed, state.flushes > 0 { return ([], []) }
      let stores = state.queue.filter(\.isStore)
      state.queue.removeAll(where: \.isStore)
      for record in stores {
        state.bytes -= record.weight
        if state.newest[record.key.digest] === record { state.newest[record.key.digest] = nil }
      }
      // A record is not found while its removal is pending.
      for removal in state.queue { state.newest[removal.key.digest] = removal }
      defer { state.entrants = [] }
      state.departures += 1
      return (stores, state.entrants)
    }
    for record in records { record.end(.failure(error)) }
    for entrant in entrants { entrant.entry.resolve(.failure(error)) }
    return records.count + entrants.count
  }

  // MARK: Waiting for all

  /// Waits longer for the lock until ``endFlush()``.
  func beginFlush() { state.withLock { $0.flushes += 1 } }

  func endFlush() { state.withLock { $0.flushes -= 1 } }

  /// Whether a flush is in progress.
  var isFlushing: Bool { state.withLock { $0.flushes > 0 } }

  // MARK: Counts

  /// Bytes that are queued or being written.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Queued changes.
  var count: Int { state.withLock { $0.queue.count } }

  /// Stores that wait for room.
  var entrantCount: Int { state.withLock { $0.entrants.count } }

  /// The number of departures so far, which shows waiting stores whether the queue makes progress.
  var departures: Int { state.withLock { $0.departures } }
}
