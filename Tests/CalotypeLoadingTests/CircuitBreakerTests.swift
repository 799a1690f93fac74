import CalotypeSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

/// Each time another URL, where it does not matter which.
private func anotherResource() -> Int {
  serial.withLock { serial in
    serial += 1
    return serial
  }
}

private let serial = Lock(0)

extension CircuitBreaker {
  fileprivate mutating func record(
    _ outcome: Outcome, policy: CircuitBreakerPolicy, now: ContinuousClock.Instant
  ) {
    record(outcome, of: anotherResource(), policy: policy, now: now)
  }
}

extension CircuitBreakers {
  fileprivate func record(_ outcome: CircuitBreaker.Outcome, host: String, now: ContinuousClock.Instant) {
    record(outcome, host: host, resource: anotherResource(), now: now)
  }
}

@Suite("Circuit breakers")
struct CircuitBreakerTests {
  private static let start = ContinuousClock.Instant.now
  private let policy = CircuitBreakerPolicy(threshold: 3, coolDown: .seconds(5), maxCoolDown: .seconds(15))

  private func at(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

  private func opened(at seconds: Int) -> CircuitBreaker {
    var breaker = CircuitBreaker()
    for _ in 0..<3 { breaker.record(.failure, policy: policy, now: at(seconds)) }
    return breaker
  }

  @Test func opensAfterFailuresInARow() {
    var breaker = CircuitBreaker()
    for outcome in [CircuitBreaker.Outcome.failure, .failure, .success, .failure, .neutral, .failure] {
      breaker.record(outcome, policy: policy, now: at(0))
      #expect(breaker.admission(now: at(0)) == nil)
      #expect(!breaker.isOpen)
    }
    breaker.record(.failure, policy: policy, now: at(1))
    #expect(breaker.isOpen)
    #expect(breaker.admission(now: at(1)) == .seconds(5))
    #expect(breaker.admission(now: at(5)) == .seconds(1))
  }

  @Test func oneResourceCountsOnce() {
    var breaker = CircuitBreaker()
    for resource in [1, 1, 1, 1, 2, 1, 2, 2] {
      breaker.record(.failure, of: resource, policy: policy, now: at(0))
      #expect(!breaker.isOpen)
    }
    // That others are there says that it is not the host.
    breaker.record(.success, of: 4, policy: policy, now: at(0))
    for resource in [1, 2] { breaker.record(.failure, of: resource, policy: policy, now: at(0)) }
    #expect(!breaker.isOpen)
    breaker.record(.failure, of: 3, policy: policy, now: at(0))
    #expect(breaker.isOpen)
    // One that finds out may be any.
    #expect(breaker.admission(now: at(5)) == nil)
    breaker.record(.failure, of: 1, policy: policy, now: at(6))
    #expect(breaker.admission(now: at(6)) == .seconds(10))
  }

  @Test func oneFindsOut() {
    var breaker = opened(at: 0)
    #expect(breaker.admission(now: at(5)) == nil)
    #expect(breaker.admission(now: at(5)) == .seconds(30))
    #expect(breaker.isOpen)
    breaker.record(.success, policy: policy, now: at(6))
    #expect(breaker.isClean)
    #expect(breaker.admission(now: at(6)) == nil)
    #expect(breaker.admission(now: at(6)) == nil)
  }

  @Test func coolDownDoubles() {
    var breaker = opened(at: 0)
    var now = 5
    for coolDown in [10, 15, 15] {
      #expect(breaker.admission(now: at(now)) == nil)
      breaker.record(.failure, policy: policy, now: at(now))
      #expect(breaker.admission(now: at(now)) == .seconds(coolDown))
      now += coolDown
    }
    // A success begins anew.
    #expect(breaker.admission(now: at(now)) == nil)
    breaker.record(.success, policy: policy, now: at(now))
    for _ in 0..<3 { breaker.record(.failure, policy: policy, now: at(now)) }
    #expect(breaker.admission(now: at(now)) == .seconds(5))
  }

  @Test func whoIsCancelledLeavesItToTheNext() {
    var breaker = opened(at: 0)
    #expect(breaker.admission(now: at(5)) == nil)
    breaker.record(.neutral, policy: policy, now: at(6))
    #expect(breaker.isOpen)
    #expect(breaker.admission(now: at(6)) == nil)
    #expect(breaker.admission(now: at(6)) != nil)
    // Still the first cool-down: nothing was found out.
    breaker.record(.failure, policy: policy, now: at(7))
    #expect(breaker.admission(now: at(7)) == .seconds(10))
  }

  @Test func whoNeverEndsIsReplaced() {
    var breaker = opened(at: 0)
    #expect(breaker.admission(now: at(5)) == nil)
    #expect(breaker.admission(now: at(34)) == .seconds(1))
    #expect(breaker.admission(now: at(35)) == nil)
    #expect(breaker.admission(now: at(35)) == .seconds(30))
  }

  @Test func latecomers() {
    var breaker = opened(at: 0)
    // Sent before it opened: their failures do not lengthen anything.
    for _ in 0..<20 { breaker.record(.failure, policy: policy, now: at(1)) }
    breaker.record(.neutral, policy: policy, now: at(1))
    #expect(breaker.admission(now: at(1)) == .seconds(4))
    breaker.record(.success, policy: policy, now: at(2))
    #expect(breaker.isClean)
  }

  @Test func absurdPolicies() {
    var breaker = CircuitBreaker()
    let never = CircuitBreakerPolicy(
      threshold: 0, coolDown: .seconds(Int64.max), maxCoolDown: .seconds(Int64.max))
    breaker.record(.failure, policy: never, now: at(0))
    #expect(breaker.admission(now: at(1)) == .seconds(Int64.max) - .seconds(1))
    let past = CircuitBreakerPolicy(threshold: -1, coolDown: .seconds(-9), maxCoolDown: .seconds(-9))
    var other = CircuitBreaker()
    other.record(.failure, policy: past, now: at(0))
    #expect(other.admission(now: at(0)) == nil)
    other.record(.failure, policy: past, now: at(0))
    #expect(other.admission(now: at(0)) == nil)
  }

  // MARK: - What errors say

  private static let url = URL(filePath: "/")

  static let failures: [LoadingError] =
    [
      .connectionFailed(url, reason: ""), .truncatedBody(url, received: 0, expected: nil),
      .timedOut(url, phase: .connect, after: .zero), .timedOut(url, phase: .idle, after: .zero),
      .timedOut(url, phase: .minimumSpeed, after: .zero), .timedOut(url, phase: .body, after: .zero),
    ] + [429, 500, 501, 502, 503, 504, 599].map { .httpStatus(url, status: $0, headers: HTTPFields()) }
  static let successes: [LoadingError] =
    [
      .tooLarge(.url(url), limit: 1, declared: nil), .emptyBody(.url(url)), .contentChanged(url, received: 1),
      .unacceptableContentType(url, type: nil, accepted: []), .tooManyRedirects(url, limit: 1),
      .redirectRefused(url, reason: ""), .bodyTransformFailed(url, transform: "", reason: ""),
    ] + [300, 400, 401, 403, 404, 408, 410].map { .httpStatus(url, status: $0, headers: HTTPFields()) }
  static let neutral: [LoadingError] = [
    .tls(url, reason: ""), .hostNotFound(url, host: ""), .timedOut(url, phase: .total, after: .zero),
    .timedOut(url, phase: .queue, after: .zero), .queueFull(url, limit: 1), .loaderClosed(url),
    .vetoed(url, reason: ""), .addressRefused(url, reason: ""),
    .invalidURL(url, reason: ""), .protocolError(url, reason: ""),
    .hostSuspended(url, host: "", retryAfter: .zero),
    .recentlyFailed(.url(url), code: "", retryAfter: .zero), .fileNotFound(url), .bodyAlreadyConsumed,
  ]

  @Test(arguments: failures) func isAFailure(_ error: LoadingError) {
    #expect(CircuitBreaker.Outcome(error) == .failure)
  }

  @Test(arguments: successes) func isASuccessOfTheHost(_ error: LoadingError) {
    #expect(CircuitBreaker.Outcome(error) == .success)
  }

  @Test(arguments: neutral) func saysNothing(_ error: LoadingError) {
    #expect(CircuitBreaker.Outcome(error) == .neutral)
  }

  // MARK: - The book

  @Test func hostsAreSeparate() {
    let breakers = CircuitBreakers(policy: policy)
    #expect(breakers.admission(host: "a", now: at(0)) == nil)
    for _ in 0..<3 { breakers.record(.failure, host: "a", now: at(0)) }
    breakers.record(.failure, host: "b", now: at(0))
    #expect(breakers.admission(host: "a", now: at(0)) == .seconds(5))
    #expect(breakers.admission(host: "b", now: at(0)) == nil)
    #expect(breakers.admission(host: "c", now: at(0)) == nil)
    #expect(breakers.count == 2)
    #expect(breakers.openCount == 1)
  }

  @Test func cleanHostsAreNotKept() {
    let breakers = CircuitBreakers(policy: policy)
    breakers.record(.success, host: "a", now: at(0))
    breakers.record(.neutral, host: "a", now: at(0))
    _ = breakers.admission(host: "a", now: at(0))
    #expect(breakers.count == 0)
    breakers.record(.failure, host: "a", now: at(0))
    #expect(breakers.count == 1)
    breakers.record(.success, host: "a", now: at(0))
    #expect(breakers.count == 0)
  }

  @Test func oneOfManyFindsOut() async {
    let breakers = CircuitBreakers(policy: policy)
    for _ in 0..<3 { breakers.record(.failure, host: "a", now: at(0)) }
    let admitted = await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { breakers.admission(host: "a", now: Self.start + .seconds(5)) == nil ? 1 : 0 }
      }
      return await group.reduce(0, +)
    }
    #expect(admitted == 1)
  }

  @Test func isBounded() {
    let breakers = CircuitBreakers(policy: policy)
    for index in 0..<CircuitBreakers.maxHosts {
      for _ in 0..<3 { breakers.record(.failure, host: "\(index)", now: at(0) + .milliseconds(index)) }
    }
    #expect(breakers.openCount == CircuitBreakers.maxHosts)
    // With all of them open, the one that would be asked soonest goes, not the new one.
    breakers.record(.failure, host: "new", now: at(1))
    #expect(breakers.count == CircuitBreakers.maxHosts)
    #expect(breakers.admission(host: "0", now: at(1)) == nil)
    #expect(breakers.admission(host: "1", now: at(1)) != nil)
    #expect(breakers.openCount == CircuitBreakers.maxHosts - 1)
    // One that is asked anyway goes before those that are not.
    breakers.record(.failure, host: "newer", now: at(1))
    #expect(breakers.count == CircuitBreakers.maxHosts)
    #expect(breakers.openCount == CircuitBreakers.maxHosts - 1)
    breakers.record(.failure, host: "newer", now: at(1))
    breakers.record(.failure, host: "newer", now: at(1))
    #expect(breakers.openCount == CircuitBreakers.maxHosts)
  }
}
