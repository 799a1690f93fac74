import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// One request, which is sent a second time if its response is late: a race that the first answer ends.
struct HedgedTransfer: Sendable {
  /// The request as it is sent.
  let request: LoadRequest
  /// The statuses that are an answer. Those of ``request`` are all, where interceptors see every response.
  let statuses: LoadRequest.AcceptedStatuses
  /// The time to wait for an answer.
  let delay: Duration
  let timing: HTTPLoader.Timing
  /// Sends a request.
  let send: @Sendable (LoadRequest) async throws -> LoadResponse
  /// Returns the second request, if one may be sent now.
  let second: @Sendable () -> LoadRequest?

  /// The outcome of the race.
  struct Outcome: Sendable {
    let result: Result<LoadResponse, any Error>
    /// Whether the second request won.
    let isOfSecond: Bool
    /// The error of the second request, if it failed.
    let secondError: LoadingError?
  }

  private enum Event: Sendable {
    /// The time has passed; `false` if it was cancelled.
    case late(Bool)
    case ended(Result<LoadResponse, any Error>, isSecond: Bool)
  }

  /// Returns when there is an answer, or all requests have failed, and none runs any more.
  func run(_ start: TransferStart) async -> Outcome {
    await withTaskGroup(of: Event.self) { group in
      group.addTask { .ended(await result(of: request), isSecond: false) }
      group.addTask { .late(await becomesLate(start)) }
      var first: Result<LoadResponse, any Error>?
      var secondError: LoadingError?
      var running = 1
      for await event in group {
        switch event {
        case .late(let isLate):
          guard isLate, first == nil, let second = second() else { continue }
          running += 1
          group.addTask { .ended(await result(of: second), isSecond: true) }
        case .ended(let result, let isSecond):
          running -= 1
          if isSecond, case .failure(let error as LoadingError) = result { secondError = error }
          if !isSecond { first = result }
          guard running == 0 || isAnswer(result) else { continue }
          group.cancelAll()
          // A second request that was refused just before is not to count as sent.
          for await case .ended(.failure(let error as LoadingError), isSecond: true) in group {
            secondError = error
          }
          // Of two failures, that of the first request counts.
          let isOfSecond = isSecond && (first == nil || isAnswer(result))
          return Outcome(
            result: isOfSecond ? result : first ?? result, isOfSecond: isOfSecond, secondError: secondError)
        }
      }
      return Outcome(result: .failure(CancellationError()), isOfSecond: false, secondError: nil)
    }
  }

  private func result(of request: LoadRequest) async -> Result<LoadResponse, any Error> {
    do { return .success(try await send(request)) } catch { return .failure(error) }
  }

  private func becomesLate(_ start: TransferStart) async -> Bool {
    guard await start.wait() else { return false }
    do { try await timing.sleep(delay) } catch { return false }
    return !Task.isCancelled
  }

  /// Whether the outcome of one request is that of the transfer: the other one may do better after a retryable error.
  private func isAnswer(_ result: Result<LoadResponse, any Error>) -> Bool {
    switch result {
    case .success(let response):
      response.status.map { statuses.contains($0) || !LoadingError.isRetryable(status: $0) } ?? true
    case .failure(let error as LoadingError): !error.isRetryable
    case .failure: true
    }
  }
}
