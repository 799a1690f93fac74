import Calotype
import CalotypeSupport

/// Wakes the one task that waits for changes. A change that comes before the wait is not lost.
final class ChangeSignal: Sendable {
  private enum State {
    case quiet
    case raised
    case waiting(Waiter<Void>)
  }

  private let state = Lock(State.quiet)

  /// Reports a change.
  func raise() {
    let waiter = state.withLock { state -> Waiter<Void>? in
      guard case .waiting(let waiter) = state else {
        state = .raised
        return nil
      }
      state = .quiet
      return waiter
    }
    // A waiter whose task was cancelled at this moment has not seen the change, and does not wait again.
    waiter?.resolve(())
  }

  /// Suspends until something has changed since the last wait, or the task is cancelled.
  func wait() async {
    let waiter = Waiter<Void>()
    let waits = state.withLock { state -> Bool in
      if case .raised = state {
        state = .quiet
        return false
      }
      state = .waiting(waiter)
      return true
    }
    guard waits else { return }
    await waiter.value(onCancel: ())
    guard Task.isCancelled else { return }
    state.withLock { state in
      if case .waiting(let present) = state, present === waiter { state = .quiet }
    }
  }
}
