import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// The requests that are made for one source: the first, its retries, and those that continue a body. They have the retries
/// and the deadline of the load in common.
final class LoadAttempts: Sendable {
  let request: LoadRequest
  private let loader: HTTPLoader
  private let deadline: ContinuousClock.Instant?
  private let used = Lock((requests: 0, retries: 0))

  init(_ request: LoadRequest, loader: HTTPLoader, deadline: ContinuousClock.Instant?) {
    self.request = request
    self.loader = loader
    self.deadline = deadline
  }

  /// Requests so far.
  var count: Int { used.withLock { $0.requests } }

  var counters: HTTPLoader.Counters { loader.counters }
  var failureMemory: FailureMemory? { loader.configuration.failureMemory }

  /// Whether a failed body is worth another request at all.
  var canRetry: Bool { loader.configuration.retry.maxRetries > 0 }

  /// A response that is let through, after as many retries as it takes.
  func open() async throws -> LoadResponse {
    try await open { _ in }
  }

  /// The bytes from `offset` on, if the resource still is the one with that `etag`; the answers 416 and 200 are let through
  /// too.
  func open(continuing offset: Int, etag: String) async throws -> LoadResponse {
    try await open { request in
      request.headers[.range] = "bytes=\(offset)-"
      request.headers[.ifRange] = etag
      request.statuses = request.statuses.union(416...416)
    }
  }

  private func open(_ change: (inout LoadRequest) -> Void) async throws -> LoadResponse {
    while true {
      do {
        return try await send(change)
      } catch let error as LoadingError {
        try await wait(after: error)
      }
    }
  }

  /// Suspends until it is time to try again.
  ///
  /// - Throws: `error` when there is nothing to wait for; `CancellationError`.
  func wait(after error: LoadingError) async throws {
    try Task.checkCancellation()
    let retries = used.withLock { $0.retries }
    let remaining = deadline.map { loader.timing.now().duration(to: $0) }
    let decision = loader.configuration.retry.decision(
      after: error, attempt: retries, remaining: remaining, random: loader.timing.random())
    guard case .retry(let delay) = decision else { throw error }
    used.withLock { $0.retries += 1 }
    loader.counters.count { $0.retries += 1 }
    try await loader.timing.sleep(delay)
  }

  private func send(_ change: (inout LoadRequest) -> Void) async throws -> LoadResponse {
    var request = self.request
    change(&request)
    try setDeadline(of: &request)
    let configuration = loader.configuration
    request = try await request.intercepted(by: configuration.interceptors)
    used.withLock { $0.requests += 1 }
    var response = try await transfer(request)
    response = try await response.intercepted(by: configuration.interceptors, for: request)
    try check(response, against: configuration.contentTypes)
    return response
  }

  /// Lets the breaker of the host know how it went, whatever happens.
  private func transfer(_ request: LoadRequest) async throws -> LoadResponse {
    let host = request.source.url.flatMap(HTTPOrigin.init)?.description
    let now = loader.timing.now
    if let host, let wait = loader.breakers?.admission(host: host, now: now()) {
      loader.counters.count { $0.suspended += 1 }
      throw LoadingError.hostSuspended(
        request.source.url ?? ImageSource.urlOfBytes, host: host, retryAfter: wait)
    }
    var outcome = CircuitBreaker.Outcome.neutral
    defer { if let host { loader.breakers?.record(outcome, host: host, now: now()) } }
    loader.counters.count { $0.requests += 1 }
    // Interceptors see every answer; the gate is behind them.
    var sent = request
    if !loader.configuration.interceptors.isEmpty { sent.statuses = .any }
    do {
      let response = try await loader.transport.load(sent)
      outcome = response.status.map { CircuitBreaker.Outcome(status: $0) } ?? .success
      return response
    } catch let error as LoadingError {
      outcome = CircuitBreaker.Outcome(error)
      throw total(error)
    }
  }

  /// What is left of the time for all of them is what this one has.
  private func setDeadline(of request: inout LoadRequest) throws(LoadingError) {
    guard let deadline else { return }
    let left = loader.timing.now().duration(to: deadline)
    guard left > .zero else { throw total(.timedOut(url, phase: .total, after: .zero)) }
    request.timeouts.total = left
  }

  /// The caller knows the deadline of the whole load, not what was left of it.
  private func total(_ error: LoadingError) -> LoadingError {
    guard case .timedOut(let url, .total, _) = error else { return error }
    return .timedOut(url, phase: .total, after: request.timeouts.total ?? .zero)
  }

  private var url: URL { request.source.url ?? ImageSource.urlOfBytes }

  private func check(_ response: LoadResponse, against accepted: [String]?) throws(LoadingError) {
    guard let accepted, response.status != 304, response.status != 416 else { return }
    let type = response.contentType.map(MediaType.init)
    guard let type, accepted.contains(where: { type.matches($0) }) else {
      throw .unacceptableContentType(url, type: response.contentType, accepted: accepted)
    }
  }
}
