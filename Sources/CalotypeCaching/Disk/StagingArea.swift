import CalotypeSupport

/// What was handed over and is not on disk yet: read from here meanwhile, written in the order it came.
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
    /// Somebody is going to take from the queue.
    var isServed = false
    /// Stores that wait for room, in the order they came.
    var entrants: [Entrant] = []
    /// How often something left.
    var departures = 0
    /// Those who wait for all that is there to be written.
    var flushes = 0

    /// Removals take no room, and nobody could wait for one that was not admitted.
    func hasRoom(for record: StagedRecord, byteLimit: Int) -> Bool {
      record.weight == 0 || bytes == 0 || record.weight <= byteLimit - bytes
    }

    mutating func append(_ record: StagedRecord) {
      newest[record.key.digest] = record
      queue.append(record)
      bytes += record.weight
    }

    /// - Returns: Those who have come in now.
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

  /// What becomes of a change that is handed over.
  enum Admission: Sendable {
    /// It waits; somebody has to take it who does not know of it yet.
    case first
    case queued
    case full(bytes: Int)
  }

  /// Takes a change in.
  ///
  /// - Parameter entry: Ends when there is room, if there is none now; until then, ``withdraw(_:)`` takes the change back.
  func add(_ record: StagedRecord, waitingFor entry: CallWaiter<Void>? = nil) -> Admission {
    state.withLock { state in
      // Those that wait for room are not overtaken by smaller ones.
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

  /// Takes back a store that waits for room.
  ///
  /// - Returns: Whether it did.
  func withdraw(_ record: StagedRecord) -> Bool {
    state.withLock { state in
      guard let place = state.entrants.firstIndex(where: { $0.record === record }) else { return false }
      state.entrants.remove(at: place)
      return true
    }
  }

  /// The newest change of a key, if one waits.
  func newest(_ digest: Digest256) -> StagedRecord? {
    state.withLock { $0.newest.isEmpty ? nil : $0.newest[digest] }
  }

  /// The changes that came first, which stay readable until ``finish(_:)``; none when nothing waits. They are stores or
  /// removals, never both. Stores that a later change of the same key made superfluous are left out, and end with it.
  ///
  /// - Returns: What to write, and how many changes were taken from the queue.
  func take(_ count: Int) -> (records: [StagedRecord], taken: Int) {
    let (records, taken, entered) = state.withLock { state -> ([StagedRecord], Int, [CallWaiter<Void>]) in
      var records: [StagedRecord] = []
      var taken = 0
      var weight = 0
      for record in state.queue {
        guard records.count < count, record.isStore == records.first?.isStore ?? record.isStore else { break }
        taken += 1
        // Removals are done in any case: the store after them may fail.
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

  /// From now on the disk has it, or has not.
  func finish(_ record: StagedRecord) {
    let entered = state.withLock { state in
      if state.newest[record.key.digest] === record { state.newest[record.key.digest] = nil }
      return state.depart(record.weight, byteLimit: byteLimit)
    }
    for entry in entered { entry.resolve(.success(())) }
  }

  /// Gives up the stores that nobody has taken yet, those that wait for room included.
  ///
  /// - Parameters:
  ///   - error: What they end with.
  ///   - sparesFlushed: Whether they stay while somebody waits for all to be written.
  /// - Returns: How many there were.
  func abandonStores(with error: CachingError, sparesFlushed: Bool) -> Int {
    let (records, entrants) = state.withLock { state -> ([StagedRecord], [Entrant]) in
      if sparesFlushed, state.flushes > 0 { return ([], []) }
      let stores = state.queue.filter(\.isStore)
      state.queue.removeAll(where: \.isStore)
      for record in stores {
        state.bytes -= record.weight
        if state.newest[record.key.digest] === record { state.newest[record.key.digest] = nil }
      }
      // What a removal is to remove is not found meanwhile.
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

  /// From now on more patience is shown, until ``endFlush()``.
  func beginFlush() { state.withLock { $0.flushes += 1 } }

  func endFlush() { state.withLock { $0.flushes -= 1 } }

  /// Whether somebody waits for all to be written.
  var isFlushing: Bool { state.withLock { $0.flushes > 0 } }

  // MARK: Numbers

  /// Bytes that wait or are being written.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Changes that wait.
  var count: Int { state.withLock { $0.queue.count } }

  /// Stores that wait for room.
  var entrantCount: Int { state.withLock { $0.entrants.count } }

  /// How often something left: who waits for room sees whether anything moves.
  var departures: Int { state.withLock { $0.departures } }
}
