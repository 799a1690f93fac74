import CalotypeSupport

/// A result that one task waits for: the first ending counts, whether it comes before, while or after the task waits.
final class OneShotResult<Success: Sendable>: Sendable {
  typealias Outcome = Result<Success, CachingError>

  private enum State {
    case idle
    case waiting(CheckedContinuation<Outcome, Never>)
    case ended(Outcome)
  }

  private let state = Lock(State.idle)

  /// Whether there was an ending.
  var hasEnded: Bool {
    state.withLock { state in
      if case .ended = state { true } else { false }
    }
  }

  /// Ends the wait, if nothing has before.
  func end(_ outcome: Outcome) {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      switch state {
      case .idle:
        state = .ended(outcome)
        return nil
      case .waiting(let waiter):
        state = .ended(outcome)
        return waiter
      case .ended:
        return nil
      }
    }
    waiter?.resume(returning: outcome)
  }

  /// Waits for the ending; called once.
  ///
  /// - Parameter cancel: Called when the task is cancelled. Must not block, and need not end anything.
  /// - Throws: What it ended with.
  func value(onCancel cancel: @escaping @Sendable () -> Void) async throws(CachingError) -> Success {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let outcome = state.withLock { state -> Outcome? in
          if case .ended(let outcome) = state { return outcome }
          state = .waiting(waiter)
          return nil
        }
        if let outcome { waiter.resume(returning: outcome) }
      }
    } onCancel: {
      cancel()
    }
    return try outcome.get()
  }

  /// Waits for the ending, or until the task is cancelled, which stops nothing else; called once.
  ///
  /// - Throws: What it ended with; ``CachingError/cancelled``.
  func value() async throws(CachingError) -> Success {
    try await value(onCancel: { self.end(.failure(.cancelled)) })
  }
}
