/// One value that one task waits for. The first ``resolve(_:)`` counts, whether it comes before, during or after the wait.
///
/// ```swift
/// let waiter = Waiter<Bool>()
/// queue.withLock { $0.append(waiter) }
/// let isAdmitted = await waiter.value(onCancel: false)
/// ```
package final class Waiter<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var isResolved = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Creates a waiter without a value.
  package init() {}

  /// Whether a value has been set.
  package var isResolved: Bool { state.withLock { $0.isResolved } }

  /// Sets the value, and resumes the task that waits for it. Call it while holding no lock.
  ///
  /// - Returns: Whether this value counts: `false` if there was one before.
  @discardableResult package func resolve(_ value: Value) -> Bool {
    let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
      guard !state.isResolved else { return (false, nil) }
      state.isResolved = true
      state.value = value
      return (true, state.continuation.take())
    }
    continuation?.resume()
    return isFirst
  }

  /// Waits for the value, also while the task is cancelled. Call it once.
  package func value() async -> Value {
    await withCheckedContinuation { continuation in
      let isResolved = state.withLock { state in
        if !state.isResolved { state.continuation = continuation }
        return state.isResolved
      }
      if isResolved { continuation.resume() }
    }
    return take()
  }

  /// Waits for the value; resolves it to `cancelled` when the task is cancelled. Call it once.
  package func value(onCancel cancelled: Value) async -> Value {
    await withTaskCancellationHandler {
      await value()
    } onCancel: {
      resolve(cancelled)
    }
  }

  // The value is not passed through the continuation, because ThreadSanitizer does not see that synchronization.
  private func take() -> Value {
    state.withLock { state in
      // Only a second wait, a mistake of the calling code, finds none.
      guard let value = state.value.take() else { preconditionFailure("a waiter is waited for once") }
      return value
    }
  }
}
