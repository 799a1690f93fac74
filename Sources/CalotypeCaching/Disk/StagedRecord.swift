import CalotypeSupport
import FoundationEssentials

/// A change that was handed over to a ``DiskCache`` and is not on disk yet, and the tasks that wait for it.
final class StagedRecord: Sendable {
  enum Content: Sendable {
    /// With the checksum of the data, where the caller has computed it already.
    case data(Data, RecordMetadata, Checksum?)
    case removal
  }

  let key: CacheKey
  let content: Content
  let created: Date
  /// Bytes held in memory.
  let weight: Int

  private struct State {
    /// Whether there was, or is, a record.
    var result: Result<Bool, CachingError>?
    var waiters: [CallWaiter<Bool>] = []
    /// Earlier stores that this one replaced.
    var superseded: [StagedRecord] = []
  }

  private let state = Lock(State())

  init(key: CacheKey, content: Content, created: Date, weight: Int) {
    self.key = key
    self.content = content
    self.created = created
    self.weight = weight
  }

  /// Gives an earlier store of the key, which is no longer written, the same outcome as this change.
  func adopt(_ earlier: StagedRecord) {
    state.withLock { $0.superseded.append(earlier) }
  }

  /// Records the outcome and resumes the waiting tasks. Call it once.
  func end(_ result: Result<Bool, CachingError>) {
    let (waiters, superseded) = state.withLock { state in
      state.result = result
      defer { (state.waiters, state.superseded) = ([], []) }
      return (state.waiters, state.superseded)
    }
    for waiter in waiters { waiter.resolve(result) }
    for record in superseded { record.end(result.map { _ in true }) }
  }

  /// Waits for the outcome.
  ///
  /// - Throws: The error; ``CachingError/cancelled`` when the waiting task is cancelled, which stops nothing else.
  func ended() async throws(CachingError) -> Bool {
    let waiter = CallWaiter<Bool>()
    let result = state.withLock { state in
      if state.result == nil { state.waiters.append(waiter) }
      return state.result
    }
    if let result { return try result.get() }
    defer {
      // A cancelled wait must not leak while the record waits for the disk.
      state.withLock { state in state.waiters.removeAll { $0 === waiter } }
    }
    return try await waiter.outcome()
  }
}
