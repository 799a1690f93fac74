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
      guard state.bytes == 0 || state.bytes + record.weight <= byteLimit else {
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

  /// The changes that came first, which stay readable until ``finish(_:)``; none when nothing waits.
  ///
  /// - Returns: What to write, and stores that a later change of the same key made superfluous.
  func take(_ count: Int) -> (current: [StagedRecord], superseded: [StagedRecord]) {
    state.withLock { state in
      var current: [StagedRecord] = []
      var superseded: [StagedRecord] = []
      var taken = 0
      for record in state.queue {
        guard current.count < count else { break }
        taken += 1
        // Removals are done in any case: the store after them may fail.
        if case .data = record.content, state.newest[record.key.digest] !== record {
          superseded.append(record)
          state.bytes -= record.weight
        } else {
          current.append(record)
        }
      }
      state.queue.removeFirst(taken)
      if taken == 0 { state.isServed = false }
      return (current, superseded)
    }
  }

  /// From now on the disk has it, or has not.
  func finish(_ record: StagedRecord) {
    state.withLock { state in
      state.bytes -= record.weight
      if state.newest[record.key.digest] === record { state.newest[record.key.digest] = nil }
    }
  }

  /// How much waits.
  var load: (bytes: Int, count: Int) { state.withLock { ($0.bytes, $0.newest.count) } }
}
