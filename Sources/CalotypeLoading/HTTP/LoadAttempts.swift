import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// The requests for one source: the first, its retries, and resumptions. They share the retries and the deadline of the
/// load.
final class LoadAttempts: Sendable {
  let request: LoadRequest
  private let loader: HTTPLoader
  private let deadline: ContinuousClock.Instant?
  private let used = Lock(Used())

  private struct Used {
    var requests = 0
    var retries = 0
    /// The URL of the last request, which an interceptor may have changed.
    var host: String?
  }

  init(_ request: LoadRequest, loader: HTTPLoader, deadline: ContinuousClock.Instant?) {
    self.request = request
    self.loader = loader
    self.deadline = deadline
  }

  /// That of the request first, because it belongs to the caller.
  private var interceptors: [any LoadIntercepting] {
    (request.hooks?.interceptors ?? []) + loader.configuration.interceptors
  }

  /// The number of requests so far.
  var count: Int { used.withLock { $0.requests } }

  var counters: HTTPLoader.Counters { loader.counters }
  var failureMemory: FailureMemory? { loader.configuration.failureMemory }

  /// Whether a failed body may be retried at all.
  var canRetry: Bool { loader.configuration.retry.maxRetries > 0 }

  /// The part of a body that exists already, and its version.
  struct Part: Sendable {
    let offset: Int
    let etag: String
  }

  /// Returns an accepted response, after retries if needed.
  ///
  /// - Parameter part: The part that exists: only the rest is requested, if the version is unchanged. The statuses 416
  ///   and 200 are accepted, too.
  func open(continuing part: Part? = nil) async throws -> LoadResponse {
    while true {
      do {
        return try await send(continuing: part)
      } catch let error as LoadingError {
        try await wait(after: asAsked(error))
      }
    }
  }

  /// Errors name the caller's URL, not the one that an interceptor made of it.
  private func asAsked(_ error: LoadingError) -> LoadingError {
    guard case .httpStatus(_, let status, let headers, let redirects) = error, let url = request.source.url
    else {
      return error
    }
    return .httpStatus(url, status: status, headers: headers, redirects: redirects)
  }

  /// Suspends until the next attempt.
  ///
  /// - Throws: `error` when there is no next attempt; `CancellationError`.
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

  private func send(continuing part: Part?) async throws -> LoadResponse {
    var request = self.request
    if let part {
      request.headers[.range] = "bytes=\(part.offset)-"
      request.headers[.ifRange] = part.etag
      request.statuses = request.statuses.union(416...416)
    }
    try setDeadline(of: &request)
    let configuration = loader.configuration
    let interceptors = self.interceptors
    request = try await request.intercepted(by: interceptors)
    let host = request.source.url.flatMap(LoadRequest.Origin.init)?.description
    used.withLock { used in
      used.requests += 1
      used.host = host
    }
    var response = try await transfer(request, host)
    do {
      response = try await response.intercepted(by: interceptors, for: request)
      try check(response, against: configuration.contentTypes, isPart: part != nil)
    } catch {
      // Its body, whose end would have been recorded, is not read.
      bodyEnded((error as? LoadingError).map { CircuitBreaker.Outcome($0) } ?? .neutral)
      throw error
    }
    return response
  }

  /// Records the end of an accepted body with the breaker of its host.
  func bodyEnded(_ outcome: CircuitBreaker.Outcome) {
    record(outcome, of: used.withLock { $0.host })
  }

  private func record(_ outcome: CircuitBreaker.Outcome, of host: String?) {
    guard let host, let breakers = loader.breakers else { return }
    // The caller's URL, because an interceptor may sign each request anew.
    let resource = request.source.hashValue
    breakers.record(
      outcome, host: host, partition: request.partition, resource: resource, now: loader.timing.now())
  }

  /// Records the outcome with the breaker of the host in any case.
  private func transfer(_ request: LoadRequest, _ host: String?) async throws -> LoadResponse {
    if let host,
      let wait = loader.breakers?.admission(
        host: host, partition: request.partition, now: loader.timing.now())
    {
      loader.counters.count { $0.suspended += 1 }
      throw LoadingError.hostSuspended(
        request.source.url ?? ImageSource.urlOfBytes, host: host, retryAfter: wait)
    }
    // Interceptors see every response; the status check follows them.
    var sent = request
    if !interceptors.isEmpty { sent.statuses = .any }
    // They have been carried out here.
    sent.hooks = nil
    loader.counters.count { $0.requests += 1 }
    guard let host, request.isHedgeable, let hedges = loader.hedges else {
      return try await carryOut(sent, host)
    }
    return try await hedged(sent, host, accepting: request.statuses, hedges)
  }

  /// Sends a request, and a second one if the answer is late.
  private func hedged(
    _ request: LoadRequest, _ host: String, accepting statuses: LoadRequest.AcceptedStatuses,
    _ hedges: Lock<HedgeTable>
  ) async throws -> LoadResponse {
    let now = loader.timing.now
    let start = TransferStart(now: now)
    if !reportsStarts { start.begin() }
    var first = request
    first.start = start
    let outcome: HedgedTransfer.Outcome
    if let delay = hedges.withLock({ $0.began(host) }) {
      let transfer = HedgedTransfer(
        request: first, statuses: statuses, delay: delay, timing: loader.timing
      ) { [self] in
        try await carryOut($0, host)
      } second: { [self] in
        second(request, host, hedges)
      }
      outcome = await transfer.run(start)
    } else {
      let response = try await carryOut(first, host)
      outcome = .init(result: .success(response), isOfSecond: false, secondError: nil)
    }
    // The transport has not sent it.
    if case .queueFull? = outcome.secondError {
      hedges.withLock { $0.refund() }
      loader.counters.count { $0.hedgesRefused += 1 }
    }
    let response = try outcome.result.get()
    if outcome.isOfSecond { loader.counters.count { $0.hedgesWon += 1 } }
    if let begin = start.instant, response.status.map({ !LoadingError.isRetryable(status: $0) }) ?? true {
      hedges.withLock { $0.answered(host, after: begin.duration(to: now())) }
    }
    return response
  }

  /// Whether the transport reports the start of its transfers.
  private var reportsStarts: Bool { loader.transport is any TransferReporting }

  /// Returns the second request, unless there is a reason not to send one.
  private func second(_ request: LoadRequest, _ host: String, _ hedges: Lock<HedgeTable>) -> LoadRequest? {
    var second = request
    let left = deadline.map { loader.timing.now().duration(to: $0) }
    if let left { second.timeouts.total = left }
    guard left.map({ $0 > .zero }) ?? true,
      loader.breakers?.isClosed(host: host, partition: request.partition) ?? true,
      hedges.withLock({ $0.spend() })
    else {
      loader.counters.count { $0.hedgesRefused += 1 }
      return nil
    }
    // A transport may refuse it: then it was not sent.
    let start = TransferStart(isExtra: true, now: loader.timing.now) { [self] in
      loader.counters.count { statistics in
        statistics.requests += 1
        statistics.hedges += 1
      }
      used.withLock { $0.requests += 1 }
    }
    if !reportsStarts { start.begin() }
    second.start = start
    return second
  }

  /// Sends one request.
  private func carryOut(_ request: LoadRequest, _ host: String?) async throws -> LoadResponse {
    do {
      let response = try await loader.transport.load(request)
      // The outcome of an accepted response is known at the end of its body.
      let outcome = response.status.map { CircuitBreaker.Outcome(status: $0) } ?? .success
      if outcome == .failure { record(outcome, of: host) }
      return response
    } catch let error as LoadingError {
      record(CircuitBreaker.Outcome(error), of: host)
      throw total(error)
    } catch {
      record(.neutral, of: host)
      throw error
    }
  }

  /// The timeout of this request is the rest of the total time.
  private func setDeadline(of request: inout LoadRequest) throws(LoadingError) {
    guard let deadline else { return }
    let left = loader.timing.now().duration(to: deadline)
    guard left > .zero else { throw total(.timedOut(url, phase: .total, after: .zero)) }
    request.timeouts.total = left
  }

  /// Errors name the timeout of the whole load, not its rest.
  private func total(_ error: LoadingError) -> LoadingError {
    guard case .timedOut(let url, let phase, _) = error, phase == .total || phase == .queue else {
      return error
    }
    return .timedOut(url, phase: phase, after: request.timeouts.total ?? .zero)
  }

  private var url: URL { request.source.url ?? ImageSource.urlOfBytes }

  private func check(
    _ response: LoadResponse, against accepted: [String]?, isPart: Bool
  ) throws(LoadingError) {
    guard let accepted, response.status != 304, response.status != 416 else { return }
    // RFC 9110 §15.3.7: a server may omit fields that the client already has.
    if isPart, response.status == 206, response.contentType == nil { return }
    let type = response.contentType.map(MediaType.init)
    guard let type, accepted.contains(where: { type.matches($0) }) else {
      throw .unacceptableContentType(url, type: response.contentType, accepted: accepted)
    }
  }
}
