/// Lets one task at a time run a piece of asynchronous work, in order of arrival.
///
/// A ``Lock`` must not be held over an `await`; this is for work that suspends.
package final class AsyncMutex: Sendable {
  private struct State {
    var isHeld = false
    var waiters: [Waiter<Bool>] = []
  }

  private let state = Lock(State())

  /// Creates an unlocked mutex.
  package init() {}

  /// Runs `body` after all earlier calls have ended.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before its turn; errors of `body`.
  package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    let waiter = state.withLock { state -> Waiter<Bool>? in
      guard state.isHeld else {
        state.isHeld = true
        return nil
      }
      let waiter = Waiter<Bool>()
      state.waiters.append(waiter)
      return waiter
    }
    if let waiter, await !waiter.value(onCancel: false) {
      state.withLock { state in state.waiters.removeAll { $0 === waiter } }
      throw CancellationError()
    }
    defer { release() }
    return try await body()
  }

  private func release() {
    // Cancelled tasks have left, or are about to, and are skipped.
    while let next = state.withLock({ state -> Waiter<Bool>? in
      guard !state.waiters.isEmpty else {
        state.isHeld = false
        return nil
      }
      return state.waiters.removeFirst()
    }) {
      if next.resolve(true) { return }
    }
  }
}
