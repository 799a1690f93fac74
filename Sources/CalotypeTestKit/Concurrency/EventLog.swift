import CalotypeSupport

/// A log of events, and the waits for events to come.
final class EventLog<Entries: Sendable>: Sendable {
  private struct Waiter {
    let condition: @Sendable (Entries) -> Bool
    let wait: Wait
  }

  private struct State {
    var entries: Entries
    var nextID = 0
    var waiters: [Int: Waiter] = [:]
  }

  private let state: Lock<State>

  init(_ entries: Entries) {
    state = Lock(State(entries: entries))
  }

  var entries: Entries { state.withLock { $0.entries } }

  /// Changes the entries, and lets those go on who waited for it.
  @discardableResult
  func note<Result: Sendable>(_ change: (inout Entries) -> Result) -> Result {
    let (result, ready) = state.withLock { state -> (Result, [Wait]) in
      let result = change(&state.entries)
      let entries = state.entries
      let ready = state.waiters.filter { $0.value.condition(entries) }
      for id in ready.keys { state.waiters[id] = nil }
      return (result, ready.values.map(\.wait))
    }
    for wait in ready { wait.end() }
    return result
  }

  /// Suspends until `condition` holds.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func wait(until condition: @escaping @Sendable (Entries) -> Bool) async throws {
    let wait = Wait()
    let id = state.withLock { state -> Int? in
      if condition(state.entries) { return nil }
      state.nextID += 1
      state.waiters[state.nextID] = Waiter(condition: condition, wait: wait)
      return state.nextID
    }
    guard let id else { return }
    try await wait(onCancel: { self.state.withLock { _ = $0.waiters.removeValue(forKey: id) } })
  }

  /// Suspends until there is a value, and returns it.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func wait<Result: Sendable>(for value: @escaping @Sendable (Entries) -> Result?) async throws -> Result {
    while true {
      if let result = value(entries) { return result }
      try await wait { value($0) != nil }
    }
  }
}
