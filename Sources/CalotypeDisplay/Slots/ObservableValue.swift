import Calotype
import CalotypeSupport

/// A value that many watch, each at their own pace: whoever looks again sees the newest.
final class ObservableValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    /// Raised by each change that is worth seeing.
    var version = 1
    var isFinished = false
    var lastID = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [:] }
      return Array(waiters.values)
    }
  }

  private let state: Lock<State>

  init(_ value: Value) {
    state = Lock(State(value: value))
  }

  var value: Value { state.withLock { $0.value } }

  /// Changes the value, and wakes those who wait if that is news.
  func change<Result: Sendable>(_ body: (inout Value) -> (result: Result, isNews: Bool)) -> Result {
    let (result, waiters) = state.withLock { state -> (Result, [CheckedContinuation<Void, Never>]) in
      let (result, isNews) = body(&state.value)
      guard isNews, !state.isFinished else { return (result, []) }
      state.version += 1
      return (result, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    return result
  }

  /// Nothing is news any more.
  func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The newest value, once its version is another than the one seen; `nil` when there are no more, or the task is
  /// cancelled.
  func next(after seen: Int) async -> (value: Value, version: Int)? {
    while !Task.isCancelled {
      let (value, version, isFinished) = state.withLock { ($0.value, $0.version, $0.isFinished) }
      if version != seen { return (value, version) }
      if isFinished { return nil }
      await change(since: seen)
    }
    return nil
  }

  /// Waits until there is something else to see, or the task is cancelled.
  private func change(since seen: Int) async {
    let id = state.withLock { state -> Int in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state -> Bool in
          // Asked under the lock: a cancellation before this point finds nobody to wake.
          guard state.version == seen, !state.isFinished, !Task.isCancelled else { return false }
          state.waiters[id] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
    }
  }
}
