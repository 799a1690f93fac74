import CalotypeLoading
import CalotypeSupport

/// The deadline of a call: when it passes, the subscriptions of the call end with
/// ``PipelineError/deadlineExceeded(_:after:)``.
///
/// A call holds one object, which is small because thousands of callers may wait.
final class Deadline: Sendable {
  private struct State {
    var hasPassed = false
    var ends: [@Sendable (PipelineError) -> Void] = []
    /// The number of the call in ``ExpiryTimer``.
    var number: Int?
  }

  private let source: ImageSource
  private let limit: Duration
  /// The time at which the deadline passes, in the time of the pipeline.
  let time: Duration
  private let timer: ExpiryTimer
  private let state = Lock(State())

  /// Returns the deadline of a request whose call was at `start`; `nil` if it has none. Runs until
  /// ``end()``.
  @inline(never)
  init?(of request: ImageRequest, since start: Duration? = nil, in context: PipelineContext) {
    guard let limit = request.deadline else { return nil }
    (source, self.limit, timer) = (request.source, limit, context.timer)
    time = (start ?? context.elapsed()) + limit
    let number = timer.add(at: time) { self.pass() }
    state.withLock { $0.number = number }
  }

  /// The error of calls whose deadline has passed.
  var error: PipelineError { .deadlineExceeded(source.description, after: limit) }

  /// Stops the timer: the call has ended.
  func end() {
    let (number, ends) = state.withLock { state in
      defer { (state.number, state.ends) = (nil, []) }
      return (state.number, state.ends)
    }
    if let number { timer.remove(number) }
    // Outside the lock: subscriptions end with their last reference.
    withExtendedLifetime(ends) {}
  }

  /// Ends a subscription when the deadline passes.
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

  private func pass() {
    let ends = state.withLock { state in
      state.hasPassed = true
      defer { state.ends = [] }
      return state.ends
    }
    let error = error
    for end in ends { end(error) }
  }

  /// Runs `body`, which is cancelled when the deadline passes.
  ///
  /// - Throws: ``PipelineError/deadlineExceeded(_:after:)``; `CancellationError`; errors of `body`.
  static func run(
    within deadline: Deadline?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard let deadline else {
      try await body()
      return try Task.checkCancellation()
    }
    // A separate task, so that either side can cancel it; it is awaited in any case.
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
