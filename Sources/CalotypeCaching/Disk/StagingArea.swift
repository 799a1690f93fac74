import CalotypeSupport

/// What was handed over and is not on disk yet: read from here meanwhile, written in the order it came.
final class StagingArea: Sendable {
  private struct State {
    /// The newest change of each key.
    var newest: [Digest256: StagedRecord] = [:]
    var queue: [StagedRecord] = []
    var bytes = 0
    /// Somebody is going to take from the queue.
    var isServed = false
  }

  private let state = Lock(State())

  /// What becomes of a change that is handed over.
  enum Admission: Sendable {
    /// It waits; somebody has to take it who does not know of it yet.
    case first
    case queued
    case full(bytes: Int)
  }

  func add(_ record: StagedRecord, byteLimit: Int) -> Admission {
    state.withLock { state in
      // Removals take no room, and nobody could wait for one that was not admitted.
      guard record.weight == 0 || state.bytes == 0 || record.weight <= byteLimit - state.bytes else {
        return .full(bytes: state.bytes)
      }
      state.newest[record.key.digest] = record
      state.queue.append(record)
      state.bytes += record.weight
      defer { state.isServed = true }
      return state.isServed ? .queued : .first
    }
  }

  /// The newest change of a key, if one waits.
  func newest(_ digest: Digest256) -> StagedRecord? {
    state.withLock { $0.newest.isEmpty ? nil : $0.newest[digest] }
  }

  /// The changes that came first, which stay readable until ``finish(_:)``; none when nothing waits. Stores that a later
  /// change of the same key made superfluous are left out, and end with it.
  ///
  /// - Returns: What to write, and how many changes were taken from the queue.
  func take(_ count: Int) -> (records: [StagedRecord], taken: Int) {
    state.withLock { state in
      var records: [StagedRecord] = []
      var taken = 0
      for record in state.queue {
        guard records.count < count else { break }
        taken += 1
        // Removals are done in any case: the store after them may fail.
        if record.isStore, let newest = state.newest[record.key.digest], newest !== record {
          newest.adopt(record)
          state.bytes -= record.weight
        } else {
          records.append(record)
        }
      }
      state.queue.removeFirst(taken)
      if taken == 0 { state.isServed = false }
      return (records, taken)
    }
  }

  /// From now on the disk has it, or has not.
  func finish(_ record: StagedRecord) {
    state.withLock { state in
      state.bytes -= record.weight
      if state.newest[record.key.digest] === record { state.newest[record.key.digest] = nil }
    }
  }

  /// Bytes that wait or are being written.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Changes that wait.
  var count: Int { state.withLock { $0.queue.count } }
}
