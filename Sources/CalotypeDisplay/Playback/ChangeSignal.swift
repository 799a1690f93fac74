import Calotype
import CalotypeSupport

/// Wakes the one task that waits for changes; a change that comes before it waits is not lost.
final class ChangeSignal: Sendable {
  private enum State {
    case quiet
    case raised
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Lock(State.quiet)

  /// Something has changed.
  func raise() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard case .waiting(let waiter) = state else {
        state = .raised
        return nil
      }
      state = .quiet
      return waiter
    }
    waiter?.resume()
  }

  /// Suspends until something has changed since the last wait, or the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state -> Bool in
          if case .raised = state {
            state = .quiet
            return true
          }
          // Asked under the lock: a cancellation before this point finds nobody to wake.
          if Task.isCancelled { return true }
          state = .waiting(continuation)
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard case .waiting(let waiter) = state else { return nil }
        state = .quiet
        return waiter
      }
      waiter?.resume()
    }
  }
}
