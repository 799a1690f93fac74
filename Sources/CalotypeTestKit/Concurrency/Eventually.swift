/// The condition of ``eventually(within:_:)`` did not become true in time.
package struct NeverHappened: Error, CustomStringConvertible {
  let limit: Duration

  package var description: String { "the condition did not become true within \(limit)" }
}

/// Suspends until a condition holds that no event announces, such as a count of waiting tasks. Looks at once, then every
/// few milliseconds, so that the awaited tasks have the processors to themselves.
///
/// - Parameters:
///   - limit: The longest wait. Generous, because other tests run at the same time.
///   - condition: Evaluated in the context of the caller.
/// - Throws: ``NeverHappened`` after `limit`; `CancellationError` when the task is cancelled; the errors of `condition`.
package nonisolated(nonsending) func eventually(
  within limit: Duration = .seconds(120), _ condition: nonisolated(nonsending) () async throws -> Bool
) async throws {
  let clock = ContinuousClock()
  let end = clock.now + limit
  var pause = Duration.microseconds(100)
  while try await !condition() {
    guard clock.now < end else { throw NeverHappened(limit: limit) }
    try await Task.sleep(for: pause)
    pause = min(pause * 2, .milliseconds(5))
  }
}
