/// Hands values to one task, one value for each wait. Unlike a ``Waiter`` it can be used again, so that a wait for each chunk
/// of a body allocates nothing of its own.
///
/// Each ``receive()`` takes exactly one ``send(_:)``, in either order. The caller decides who answers a wait, under a lock of
/// its own; this type only suspends and resumes.
///
/// ```swift
/// let chunks = Rendezvous<Data?>()
/// chunks.send(chunk)                    // the producer
/// let next = await chunks.receive()     // the consumer
/// ```
package final class Rendezvous<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var continuation: UnsafeContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Creates a rendezvous without a value.
  package init() {}

  /// Hands over a value, and resumes the task that waits for it. Call it while holding no lock.
  package func send(_ value: Value) {
    let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      precondition(state.value == nil, "each value of a rendezvous is received before the next is sent")
      state.value = value
      return state.continuation.take()
    }
    continuation?.resume()
  }

  /// Waits for the next value, also while the task is cancelled. One task at a time.
  package func receive() async -> Value {
    if let value = take() { return value }
    await withUnsafeContinuation { continuation in
      let isThere = state.withLock { state in
        precondition(state.continuation == nil, "one task waits at a rendezvous")
        if state.value == nil { state.continuation = continuation }
        return state.value != nil
      }
      if isThere { continuation.resume() }
    }
    // Only `send` resumes, after it has set a value; only this task takes it.
    guard let value = take() else { preconditionFailure("a rendezvous resumed without a value") }
    return value
  }

  // The value is not passed through the continuation, because ThreadSanitizer does not see that synchronization.
  private func take() -> Value? {
    state.withLock { $0.value.take() }
  }
}
