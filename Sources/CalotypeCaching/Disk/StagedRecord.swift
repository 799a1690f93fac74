import CalotypeSupport
import FoundationEssentials

/// A change that was handed over to a ``DiskCache`` and is not on disk yet, and everyone who waits for that.
final class StagedRecord: Sendable {
  enum Content: Sendable {
    case data(Data, RecordMetadata)
    case removal
  }

  let key: CacheKey
  let content: Content
  let created: Date
  /// Bytes that are held in memory.
  let weight: Int

  private struct State {
    /// Whether there was, or is, a record.
    var result: Result<Bool, CachingError>?
    var waiters: [UInt64: CheckedContinuation<Result<Bool, CachingError>, Never>] = [:]
    var next: UInt64 = 0
    var left: Set<UInt64> = []
    /// Stores that this one took the place of.
    var superseded: [StagedRecord] = []
  }

  private let state = Lock(State())

  init(key: CacheKey, content: Content, created: Date, weight: Int) {
    self.key = key
    self.content = content
    self.created = created
    self.weight = weight
  }

  /// Lets an earlier store of the key, which is not written any more, end as this change does.
  func adopt(_ earlier: StagedRecord) {
    state.withLock { $0.superseded.append(earlier) }
  }

  /// Says how it ended; once.
  func end(_ result: Result<Bool, CachingError>) {
    let (waiters, superseded) = state.withLock { state in
      state.result = result
      defer { (state.waiters, state.superseded) = ([:], []) }
      return (Array(state.waiters.values), state.superseded)
    }
    for waiter in waiters { waiter.resume(returning: result) }
    for record in superseded { record.end(result.map { _ in true }) }
  }

  /// Waits for the end.
  ///
  /// - Throws: what went wrong; ``CachingError/cancelled`` when the waiting task is, which stops nothing.
  func ended() async throws(CachingError) -> Bool {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> Result<Bool, CachingError>? in
          if let result = state.result { return result }
          // Cancelled before it could wait.
          if state.left.remove(number) != nil { return .failure(.cancelled) }
          state.waiters[number] = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: number)
        if waiter == nil, state.result == nil { state.left.insert(number) }
        return waiter
      }
      waiter?.resume(returning: .failure(.cancelled))
    }
    return try result.get()
  }
}
