import Calotype
import CalotypeSupport

/// A value with any number of observers, each at its own pace: an observer always gets the newest value.
final class ObservableValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    /// The version, incremented by each change that is reported to observers.
    var version = 1
    var isFinished = false
    var waiters: [ObjectIdentifier: Waiter<Void>] = [:]

    mutating func takeWaiters() -> [Waiter<Void>] {
      defer { waiters = [:] }
      return Array(waiters.values)
    }
  }

  private let state: Lock<State>

  init(_ value: Value) {
    state = Lock(State(value: value))
  }

  var value: Value { state.withLock { $0.value } }

  /// Changes the value, and wakes its observers if `body` returns that the change is news.
  func change<Result: Sendable>(_ body: (inout Value) -> (result: Result, isNews: Bool)) -> Result {
    let (result, waiters) = state.withLock { state -> (Result, [Waiter<Void>]) in
      let (result, isNews) = body(&state.value)
      guard isNews, !state.isFinished else { return (result, []) }
      state.version += 1
      return (result, state.takeWaiters())
    }
    for waiter in waiters { waiter.resolve(()) }
    return result
  }

  /// Ends all observations; later changes are not reported.
  func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resolve(()) }
  }

  /// Waits for a version other than `seen`.
  ///
  /// - Returns: The newest value and its version; `nil` when no version follows, or the task is cancelled.
  func next(after seen: Int) async -> (value: Value, version: Int)? {
    while !Task.isCancelled {
      let (value, version, isFinished) = state.withLock { ($0.value, $0.version, $0.isFinished) }
      if version != seen { return (value, version) }
      if isFinished { return nil }
      await change(since: seen)
    }
    return nil
  }

  /// Suspends until the version is another than `seen`, the value is finished, or the task is cancelled.
  private func change(since seen: Int) async {
    let waiter = Waiter<Void>()
    let id = ObjectIdentifier(waiter)
    let waits = state.withLock { state -> Bool in
      guard state.version == seen, !state.isFinished else { return false }
      state.waiters[id] = waiter
      return true
    }
    guard waits else { return }
    await waiter.value(onCancel: ())
    // A cancelled observer does not stay in the table until the next change.
    if Task.isCancelled { state.withLock { _ = $0.waiters.removeValue(forKey: id) } }
  }
}
