import Synchronization

/// The work for the client of one connection, which ends with it. Requests of a connection are served one at a time.
final class ClientWork: Sendable {
  private struct State {
    var isEnded = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Cancels the request in progress and those that follow.
  func end() {
    let cancel = state.withLock { state in
      state.isEnded = true
      return state.cancel
    }
    cancel?()
  }

  /// Performs an operation, and cancels it when the client leaves.
  func perform<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await operation() }
    let isEnded = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.isEnded
    }
    if isEnded { task.cancel() }
    defer { state.withLock { $0.cancel = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
