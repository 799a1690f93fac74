/// How urgent a piece of work is, while it waits and while it runs: raised and lowered by those who want it, seen by
/// every queue that it stands in.
///
/// Whoever observes is told that there is something new and looks at ``value``; so the last value wins, in whatever
/// order changes of several threads are told.
package final class LivePriority: Sendable {
  private struct State {
    var value: TaskPriority
    var nextID = 0
    var observers: [Int: @Sendable () -> Void] = [:]
  }

  private let state: Lock<State>

  /// Starts with `value`.
  package init(_ value: TaskPriority) {
    state = Lock(State(value: value))
  }

  /// The priority now.
  package var value: TaskPriority { state.withLock { $0.value } }

  /// How many observe it now.
  package var observerCount: Int { state.withLock { $0.observers.count } }

  /// Changes it and tells the observers, if it is another.
  package func set(_ value: TaskPriority) {
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      guard state.value != value else { return [] }
      state.value = value
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Calls `changed` after each change, on the thread of the change, until the observation is cancelled. Look at ``value``
  /// once after this call: it may have changed before.
  package func observe(_ changed: @escaping @Sendable () -> Void) -> Observation {
    let id = state.withLock { state -> Int in
      state.nextID += 1
      state.observers[state.nextID] = changed
      return state.nextID
    }
    return Observation(priority: self, id: id)
  }

  /// The end of an observation, when its time has come.
  package struct Observation: Sendable {
    private let priority: LivePriority
    private let id: Int

    fileprivate init(priority: LivePriority, id: Int) {
      self.priority = priority
      self.id = id
    }

    /// No more calls; one that has begun may still be going on.
    package func cancel() {
      priority.state.withLock { _ = $0.observers.removeValue(forKey: id) }
    }
  }
}
