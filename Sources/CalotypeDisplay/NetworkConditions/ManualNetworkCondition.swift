import Calotype
import CalotypeSupport

/// A condition set by the program: for servers, for tests, and for programs that know the network better
/// than the system.
public final class ManualNetworkCondition: NetworkConditionProviding {
  private struct State {
    var current: NetworkCondition
    var listeners: [Int: AsyncStream<NetworkCondition>.Continuation] = [:]
    var next = 0
  }

  private let state: Lock<State>
  /// Held while listeners are notified, so that no older condition comes after a newer one. A separate lock
  /// from `state`, because yielding takes a lock of the listening task, and a thread that cancels that task
  /// holds that lock when it waits for `state`.
  private let telling = Lock(())

  /// Creates a provider with an initial condition.
  public init(_ condition: NetworkCondition = .unmetered) {
    state = Lock(State(current: condition))
  }

  deinit {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  /// The current condition. Setting another one notifies the listeners.
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

  /// The number of listeners.
  public var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Returns a stream of the current condition, and then of every change. Ends when this value is released.
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
