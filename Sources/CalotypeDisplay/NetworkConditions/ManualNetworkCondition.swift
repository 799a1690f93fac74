import Calotype
import CalotypeSupport

/// A condition that the program sets: for servers, for tests, for programs that know better than the system.
public final class ManualNetworkCondition: NetworkConditionProviding {
  private struct State {
    var current: NetworkCondition
    var listeners: [Int: AsyncStream<NetworkCondition>.Continuation] = [:]
    var next = 0
  }

  private let state: Lock<State>
  /// Held while listeners are told, so that no older condition comes after a newer one. That must not be `state`:
  /// yielding takes a lock of the task that listens, and who cancels that task holds that lock when it comes for
  /// `state`.
  private let telling = Lock(())

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
      telling.withLock { _ in
        let listeners = state.withLock { state -> [AsyncStream<NetworkCondition>.Continuation] in
          guard newValue != state.current else { return [] }
          state.current = newValue
          return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(newValue) }
      }
    }
  }

  /// How many listen.
  public var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// The condition now, and then whenever it changes. Ends when this value goes.
  public func conditions() -> AsyncStream<NetworkCondition> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkCondition.self, bufferingPolicy: .bufferingNewest(1))
    let number = telling.withLock { _ in
      let (number, current) = state.withLock { state in
        state.next += 1
        state.listeners[state.next] = continuation
        return (state.next, state.current)
      }
      continuation.yield(current)
      return number
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    return stream
  }
}
