import CalotypeSupport

/// A wait of one task that ends once: the first ending counts, whether it comes before, while or after the task waits.
///
/// The one place of the kit where continuations are resumed.
final class Wait: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, any Error>)
    case ended(Result<Void, any Error>)
  }

  private let state = Lock(State.idle)

  /// Ends the wait, if nothing has before.
  func end(_ result: Result<Void, any Error> = .success(())) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      switch state {
      case .idle:
        state = .ended(result)
        return nil
      case .waiting(let waiter):
        state = .ended(result)
        return waiter
      case .ended:
        return nil
      }
    }
    waiter?.resume(with: result)
  }

  /// Suspends until the wait has ended; called once.
  ///
  /// - Parameter onCancel: Called before the wait ends by the cancellation of its task, also when that is of no effect
  ///   because it has ended before.
  /// - Throws: What it ended with; `CancellationError` when the task is cancelled before.
  func callAsFunction(onCancel: @escaping @Sendable () -> Void = {}) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if case .ended(let result) = state { return result }
          state = .waiting(waiter)
          return nil
        }
        if let result { waiter.resume(with: result) }
      }
    } onCancel: {
      onCancel()
      end(.failure(CancellationError()))
    }
  }
}
