import CalotypeSupport

/// A wait of one task. The first ending counts, whether it comes before, during or after the wait.
final class Wait: Sendable {
  private let waiter = Waiter<Result<Void, any Error>>()

  /// Ends the wait.
  func end(_ result: Result<Void, any Error> = .success(())) { waiter.resolve(result) }

  /// Suspends until the wait has ended. Call it once.
  ///
  /// - Parameter onCancel: Called when the task is cancelled, before the wait ends by that, also when the wait has ended
  ///   before.
  /// - Throws: The error that it ended with; `CancellationError` when the task is cancelled before.
  func callAsFunction(onCancel: @escaping @Sendable () -> Void = {}) async throws {
    try await withTaskCancellationHandler {
      try await waiter.value().get()
    } onCancel: {
      onCancel()
      end(.failure(CancellationError()))
    }
  }
}
