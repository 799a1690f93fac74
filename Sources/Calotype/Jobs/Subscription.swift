import CalotypeSupport

/// One caller's place in a ``Job``: at most one pending progress value, and exactly one ending.
///
/// Either ``value()`` or ``next()`` is awaited, by one task at a time. Cancelling that task, or ``leave()``,
/// ends the subscription at once.
final class Subscription<Value: Sendable>: Sendable {
  enum Event: Sendable {
    case progress(LoadProgress)
    case ended(Value)
  }

  private struct State {
    var progress: LoadProgress?
    var ending: Result<Value, any Error>?
    var waiter: CheckedContinuation<Event, any Error>?
    var wantsProgress = false
  }

  private let job: Job<Value>
  private let state = Lock(State())

  init(job: Job<Value>) {
    self.job = job
  }

  /// The value the job ends with.
  ///
  /// - Throws: the job's error; `CancellationError` when the calling task is cancelled.
  func value() async throws -> Value {
    while true {
      if case .ended(let value) = try await next(wantsProgress: false) { return value }
    }
  }

  /// The newest progress that was not seen yet, or the ending.
  func next() async throws -> Event {
    try await next(wantsProgress: true)
  }

  private func next(wantsProgress: Bool) async throws -> Event {
    try await withTaskPriorityEscalationHandler {
      try await cancellableNext(wantsProgress: wantsProgress)
    } onPriorityEscalated: { _, priority in
      // Who waits for a job lends it its priority, and so do those who wait for the one that waits.
      job.raise(to: priority)
    }
  }

  private func cancellableNext(wantsProgress: Bool) async throws -> Event {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        var displaced: CheckedContinuation<Event, any Error>?
        let ready = state.withLock { state -> Result<Event, any Error>? in
          state.wantsProgress = wantsProgress
          if wantsProgress, let progress = state.progress {
            state.progress = nil
            return .success(.progress(progress))
          }
          if let ending = state.ending { return ending.map { .ended($0) } }
          displaced = state.waiter
          state.waiter = continuation
          return nil
        }
        // Two calls at once are a mistake of the caller, and still end both.
        displaced?.resume(throwing: CancellationError())
        if let ready { continuation.resume(with: ready) }
      }
    } onCancel: {
      leave()
    }
  }

  /// Replaces progress that was not taken yet: nobody needs to know where the transfer was a moment ago.
  func publish(_ progress: LoadProgress) {
    let waiter = state.withLock { state -> CheckedContinuation<Event, any Error>? in
      guard state.ending == nil else { return nil }
      if let waiter = state.waiter, state.wantsProgress {
        state.waiter = nil
        return waiter
      }
      state.progress = progress
      return nil
    }
    waiter?.resume(returning: .progress(progress))
  }

  /// Sets the ending; the first one counts.
  func finish(_ result: Result<Value, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Event, any Error>? in
      guard state.ending == nil else { return nil }
      state.ending = result
      let waiter = state.waiter
      state.waiter = nil
      return waiter
    }
    waiter?.resume(with: result.map { .ended($0) })
  }

  /// Gives up the place; a pending call ends with `CancellationError`. Harmless when repeated.
  func leave() {
    finish(.failure(CancellationError()))
    job.leave(ObjectIdentifier(self))
  }
}
