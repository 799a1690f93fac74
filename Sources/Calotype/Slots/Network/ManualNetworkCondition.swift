import CalotypeSupport

/// A condition that the program sets: for servers, for tests, for programs that know better than the system.
public final class ManualNetworkCondition: NetworkConditionProviding {
  private struct State {
    var current: NetworkCondition
    var listeners: [Int: AsyncStream<NetworkCondition>.Continuation] = [:]
    var next = 0
  }

  private let state: Lock<State>

  /// Begins with a condition.
  public init(_ condition: NetworkCondition = .unmetered) {
    state = Lock(State(current: condition))
  }

  deinit {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  /// The condition. Those who listen hear of it when it is set to another.
  public var current: NetworkCondition {
    get { state.withLock { $0.current } }
    set {
      // Under the lock, so that no older condition comes after a newer one. Yielding runs nobody's code.
      state.withLock { state in
        guard newValue != state.current else { return }
        state.current = newValue
        for listener in state.listeners.values { listener.yield(newValue) }
      }
    }
  }

  /// How many listen.
  public var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// The condition now, and then whenever it changes. Ends when this value goes.
  public func conditions() -> AsyncStream<NetworkCondition> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkCondition.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = continuation
      continuation.yield(state.current)
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    return stream
  }
}
