import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Retry policy")
struct RetryPolicyTests {
  private static let url = URL(filePath: "/")
  private static let lost = LoadingError.connectionFailed(url, reason: "refused")

  private static func status(_ status: Int, retryAfter: String? = nil) -> LoadingError {
    var headers = HTTPFields()
    headers[.retryAfter] = retryAfter
    return .httpStatus(url, status: status, headers: headers)
  }

  private func decide(
    _ policy: RetryPolicy = .default, _ error: LoadingError = lost, attempt: Int = 0,
    remaining: Duration? = nil,
    random: Double = 1
  ) -> RetryPolicy.Decision {
    policy.decision(
      after: error, attempt: attempt, remaining: remaining, random: random,
      date: Date(timeIntervalSince1970: 784_111_777))
  }

  @Test func waitsDouble() {
    let policy = RetryPolicy(maxRetries: 100)
    for (attempt, milliseconds) in [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000].enumerated() {
      let whole = Duration.milliseconds(milliseconds)
      #expect(decide(policy, attempt: attempt, random: 1) == .retry(after: whole))
      #expect(decide(policy, attempt: attempt, random: 0.5) == .retry(after: whole * 3 / 4))
      #expect(decide(policy, attempt: attempt, random: 0) == .retry(after: whole / 2))
    }
    #expect(decide(policy, attempt: 99) == .retry(after: .seconds(8)))
  }

  @Test func jitterIsAShare() {
    #expect(decide(RetryPolicy(jitter: 0), random: 0) == .retry(after: .milliseconds(250)))
    #expect(decide(RetryPolicy(jitter: 1), random: 0) == .retry(after: .zero))
    #expect(decide(RetryPolicy(jitter: 1), random: 1) == .retry(after: .milliseconds(250)))
  }

  @Test func countsRetries() {
    #expect(decide(attempt: 1) == .retry(after: .milliseconds(500)))
    #expect(decide(attempt: 2) == .giveUp(.noRetriesLeft))
    #expect(decide(.none) == .giveUp(.noRetriesLeft))
    #expect(decide(RetryPolicy(maxRetries: -1)) == .giveUp(.noRetriesLeft))
  }

  static let retried: [LoadingError] =
    [
      lost, .hostNotFound(url, host: "h"), .timedOut(url, phase: .connect, after: .seconds(1)),
      .timedOut(url, phase: .idle, after: .seconds(1)),
      .timedOut(url, phase: .minimumSpeed, after: .seconds(1)),
      .truncatedBody(url, received: 1, expected: 2), .contentChanged(url, received: 1),
    ] + [408, 425, 429, 500, 502, 503, 504].map { status($0) }

  @Test(arguments: retried) func triesAgain(_ error: LoadingError) {
    #expect(decide(.default, error) == .retry(after: .milliseconds(250)))
  }

  static let final: [LoadingError] =
    [
      .queueFull(url, limit: 1), .hostSuspended(url, host: "h", retryAfter: .seconds(1)),
      .timedOut(url, phase: .total, after: .seconds(1)), .timedOut(url, phase: .queue, after: .seconds(1)),
      .tls(url, reason: ""), .emptyBody(.url(url)),
      .tooLarge(.url(url), limit: 1, declared: nil), .tooManyRedirects(url, limit: 1),
      .recentlyFailed(.url(url), code: "", retryAfter: .seconds(1)), .addressRefused(url, reason: ""),
      .vetoed(url, reason: ""), .loaderClosed(url), .protocolError(url, reason: ""), .bodyAlreadyConsumed,
    ] + [400, 401, 403, 404, 410, 501, 505].map { status($0, retryAfter: "1") }

  @Test(arguments: final) func doesNotTryAgain(_ error: LoadingError) {
    #expect(decide(.default, error) == .giveUp(.pointless))
  }

  @Test(arguments: [429, 503, 500]) func comesBackWhenAsked(_ status: Int) {
    #expect(decide(.default, Self.status(status, retryAfter: "3")) == .retry(after: .seconds(3)))
    #expect(
      decide(.default, Self.status(status, retryAfter: "Sun, 06 Nov 1994 08:49:47 GMT"))
        == .retry(after: .seconds(10)))
    // Not earlier, but later.
    #expect(decide(.default, Self.status(status, retryAfter: "0")) == .retry(after: .milliseconds(250)))
    #expect(decide(.default, Self.status(status, retryAfter: "soon")) == .retry(after: .milliseconds(250)))
    #expect(decide(.default, Self.status(status, retryAfter: "60")) == .retry(after: .seconds(60)))
    #expect(decide(.default, Self.status(status, retryAfter: "61")) == .giveUp(.asksForTooLong))
    #expect(
      decide(.default, Self.status(status, retryAfter: "99999999999999999999")) == .giveUp(.asksForTooLong))
    #expect(
      decide(RetryPolicy(maxRetryAfter: .zero), Self.status(status, retryAfter: "1"))
        == .giveUp(.asksForTooLong))
  }

  @Test func endsBeforeTheDeadline() {
    #expect(decide(remaining: .milliseconds(251)) == .retry(after: .milliseconds(250)))
    #expect(decide(remaining: .milliseconds(250)) == .giveUp(.deadlineTooNear))
    #expect(decide(remaining: .zero) == .giveUp(.deadlineTooNear))
    #expect(decide(remaining: .seconds(-1)) == .giveUp(.deadlineTooNear))
    #expect(
      decide(.default, Self.status(503, retryAfter: "3"), remaining: .seconds(3)) == .giveUp(.deadlineTooNear)
    )
  }

  @Test func absurdNumbers() {
    let endless = Duration.seconds(Int64.max)
    let long = RetryPolicy(maxRetries: .max, baseDelay: endless, maxDelay: endless, maxRetryAfter: endless)
    #expect(decide(long, attempt: .max - 1) == .retry(after: endless))
    #expect(decide(long, Self.status(503, retryAfter: "99999999999999999999")) == .retry(after: endless))
    let doubling = RetryPolicy(maxRetries: .max, baseDelay: .nanoseconds(1), maxDelay: endless)
    #expect(decide(doubling, attempt: .max - 1) == .retry(after: endless))
    let nothing = RetryPolicy(maxRetries: .max, baseDelay: .zero)
    #expect(decide(nothing, attempt: .max - 1) == .retry(after: .zero))
    #expect(decide(RetryPolicy(baseDelay: .seconds(-1), maxDelay: .seconds(-1))) == .retry(after: .zero))
    let odd = Duration(attoseconds: Int128(Int64.max) * 1_000_000_007_777_777_777)
    let allChance = RetryPolicy(baseDelay: odd, maxDelay: odd, jitter: 1)
    #expect(decide(allChance, random: 0) == .retry(after: .zero))
    for random in [-1, -Double.infinity, .nan] {
      #expect(decide(random: random) == .retry(after: .milliseconds(125)))
      #expect(decide(RetryPolicy(jitter: random), random: 0) == .retry(after: .milliseconds(250)))
    }
    #expect(decide(random: .infinity) == .retry(after: .milliseconds(250)))
    #expect(decide(RetryPolicy(jitter: 9), random: 0) == .retry(after: .zero))
  }
}
