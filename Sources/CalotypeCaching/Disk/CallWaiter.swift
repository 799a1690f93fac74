import CalotypeSupport

/// Waits for the outcome of a call that another thread carries out.
typealias CallWaiter<Success: Sendable> = Waiter<Result<Success, CachingError>>

extension Waiter {
  /// Waits for the outcome.
  ///
  /// - Parameter cancel: Called when the task is cancelled. It must not block, and need not resolve the waiter.
  /// - Throws: The error of the outcome.
  func outcome<Success>(onCancel cancel: @escaping @Sendable () -> Void) async throws(CachingError) -> Success
  where Value == Result<Success, CachingError> {
    let outcome = await withTaskCancellationHandler {
      await value()
    } onCancel: {
      cancel()
    }
    return try outcome.get()
  }

  /// Waits for the outcome, or until the task is cancelled. Cancelling stops nothing but the wait.
  ///
  /// - Throws: The error of the outcome; ``CachingError/cancelled``.
  func outcome<Success>() async throws(CachingError) -> Success where Value == Result<Success, CachingError> {
    try await value(onCancel: .failure(.cancelled)).get()
  }
}
