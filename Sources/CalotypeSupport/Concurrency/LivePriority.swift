/// A priority that may change while its work waits or runs. The requesters raise and lower it; every queue that holds
/// the work observes it.
///
/// Observers are notified of a change and then read ``value``, so that the last value wins regardless of the order in
/// which notifications of several threads arrive.
package final class LivePriority: Sendable {
  private struct State {
    var value: TaskPriority
    var nextID = 0
    var observers: [Int: @Sendable () -> Void] = [:]
  }

  private let state: Lock<State>

  /// Creates a priority with an initial value.
  package init(_ value: TaskPriority) {
    state = Lock(State(value: value))
  }

  /// The present priority.
  package var value: TaskPriority { state.withLock { $0.value } }

  /// The number of observers.
  package var observerCount: Int { state.withLock { $0.observers.count } }

  /// Changes the priority, and notifies the observers if it differs.
  package func set(_ value: TaskPriority) {
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      guard state.value != value else { return [] }
      state.value = value
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Calls `changed` after each change, on the thread of the change, until the observation is cancelled. Read ``value``
  /// once after this call, because it may have changed before.
  package func observe(_ changed: @escaping @Sendable () -> Void) -> Observation {
    let id = state.withLock { state -> Int in
      state.nextID += 1
      state.observers[state.nextID] = changed
      return state.nextID
    }
    return Observation(priority: self, id: id)
  }

  /// An observation, which can be cancelled.
  package struct Observation: Sendable {
    private let priority: LivePriority
    private let id: Int

    fileprivate init(priority: LivePriority, id: Int) {
      self.priority = priority
      self.id = id
    }

    /// Stops further calls. One that has begun may still be running.
    package func cancel() {
      priority.state.withLock { _ = $0.observers.removeValue(forKey: id) }
    }
  }
}
