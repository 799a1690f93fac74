import CalotypeSupport

/// The end of a caller's patience.
final class Deadline: Sendable {
  private let error: PipelineError
  private let state = Lock((hasPassed: false, ends: [@Sendable (PipelineError) -> Void]()))

  init(_ error: PipelineError) {
    self.error = error
  }

  /// Ends a place, when the time has come.
  func limit<Value>(_ place: Subscription<Value>) {
    limit { place.leave($0) }
  }

  private func limit(_ end: @escaping @Sendable (PipelineError) -> Void) {
    let hasPassed = state.withLock { state in
      if !state.hasPassed { state.ends.append(end) }
      return state.hasPassed
    }
    if hasPassed { end(error) }
  }

  func pass() {
    let ends = state.withLock { state in
      state.hasPassed = true
      defer { state.ends = [] }
      return state.ends
    }
    for end in ends { end(error) }
  }

  /// Runs `body`, which is cancelled when the time has come.
  ///
  /// - Throws: ``PipelineError/deadlineExceeded(_:after:)``; `CancellationError`; what `body` throws.
  static func run(
    within deadline: Deadline?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard let deadline else {
      try await body()
      return try Task.checkCancellation()
    }
    // A task of its own, to be cancelled by either; it is waited for.
    let task = Task { try await body() }
    deadline.limit { _ in task.cancel() }
    try await withTaskCancellationHandler {
      let result = await task.result
      try Task.checkCancellation()
      if deadline.state.withLock({ $0.hasPassed }) { throw deadline.error }
      try result.get()
    } onCancel: {
      task.cancel()
    }
  }
}
