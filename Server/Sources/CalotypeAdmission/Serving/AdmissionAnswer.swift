/// The outcome of a job's wait, set once, and waited for once.
final class AdmissionAnswer: Sendable {
  /// The end of a wait.
  enum Outcome: Sendable {
    case started(wait: Duration)
    case refused(AdmissionRefusal)
    case cancelled
  }

  private enum State: Sendable {
    case empty
    case waiting(CheckedContinuation<Outcome, Never>)
    case resolved(Outcome)
  }

  private let state = Lock(State.empty)

  /// Sets the outcome, unless there is one. Call it while holding no lock.
  func resolve(_ outcome: Outcome) {
    let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
      switch state {
      case .empty:
        state = .resolved(outcome)
        return nil
      case .waiting(let continuation):
        state = .resolved(outcome)
        return continuation
      case .resolved:
        return nil
      }
    }
    continuation?.resume(returning: outcome)
  }

  /// The outcome, if it is set.
  var outcome: Outcome? {
    state.withLock { state in
      if case .resolved(let outcome) = state { return outcome }
      return nil
    }
  }

  /// Waits for the outcome. Call it once.
  func wait() async -> Outcome {
    if let outcome { return outcome }
    return await withCheckedContinuation { continuation in
      let outcome: Outcome? = state.withLock { state in
        if case .resolved(let outcome) = state { return outcome }
        state = .waiting(continuation)
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
