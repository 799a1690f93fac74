import CalotypeSupport
import FoundationEssentials

/// The body for the consumer. Its end updates the failure memory and the circuit breaker.
final class InstrumentedBody: LoadBody.Producing {
  private let body: LoadBody.Claim?
  private let attempts: LoadAttempts
  private let isOver = Lock(false)

  init(_ body: LoadBody, attempts: LoadAttempts) {
    self.body = body.claim()
    self.attempts = attempts
  }

  func next() async throws -> Data? {
    guard let body else { throw LoadingError.bodyAlreadyConsumed }
    do {
      let chunk = try await body.next()
      if chunk == nil, isFirstEnd() {
        attempts.bodyEnded(.success)
        attempts.failureMemory?.forget(attempts.request)
      }
      return chunk
    } catch {
      if let error = error as? LoadingError, isFirstEnd() {
        attempts.bodyEnded(CircuitBreaker.Outcome(error))
        attempts.failureMemory?.record(error, for: attempts.request)
      }
      throw error
    }
  }

  func cancel() {
    if isFirstEnd() { attempts.bodyEnded(.neutral) }
    body?.cancel()
  }

  var metrics: LoadResponse.Metrics? { body?.metrics }

  private func isFirstEnd() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }
}
