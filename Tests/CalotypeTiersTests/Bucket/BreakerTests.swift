import CalotypeSupport
import Testing

@testable import CalotypeTiers

/// The decisions about failing buckets, as values.
@Suite("Breakers, limits and retries of buckets")
struct BreakerTests {
  @Test func opensAfterTenFailuresInARow() {
    var breaker = BucketBreaker()
    for _ in 0..<9 { breaker.record(.failure, now: .zero) }
    breaker.record(.success, now: .zero)
    for _ in 0..<9 { breaker.record(.failure, now: .zero) }
    breaker.record(.neutral, now: .zero)
    #expect(!breaker.isOpen)
    #expect(breaker.admission(now: .zero) == nil)
    breaker.record(.failure, now: .seconds(1))
    #expect(breaker.admission(now: .seconds(1)) == .seconds(6))
    // Late failures of earlier requests change nothing.
    breaker.record(.failure, now: .seconds(2))
    #expect(breaker.admission(now: .milliseconds(5_999)) == .seconds(6))
  }

  @Test func probesOneAtATimeAndDoubles() {
    var breaker = BucketBreaker()
    for _ in 0..<10 { breaker.record(.failure, now: .zero) }
    var now = Duration.zero
    var expected = Duration.seconds(5)
    for _ in 0..<8 {
      #expect(breaker.state == .open(until: now + expected))
      now += expected
      #expect(breaker.admission(now: now) == nil)
      #expect(breaker.admission(now: now) != nil)
      breaker.record(.failure, now: now)
      expected = min(expected * 2, .seconds(120))
    }
    #expect(expected == .seconds(120))
    now += expected
    #expect(breaker.admission(now: now) == nil)
    breaker.record(.success, now: now)
    #expect(!breaker.isOpen)
    // It begins with the shortest time again.
    for _ in 0..<10 { breaker.record(.failure, now: now) }
    #expect(breaker.state == .open(until: now + .seconds(5)))
  }

  @Test func aLostProbeIsFollowedByAnother() {
    var breaker = BucketBreaker(threshold: 1)
    breaker.record(.failure, now: .zero)
    #expect(breaker.admission(now: .seconds(5)) == nil)
    #expect(breaker.admission(now: .seconds(34)) == .seconds(35))
    #expect(breaker.admission(now: .seconds(35)) == nil)
    // A cancelled probe leaves its place to the next request.
    breaker.record(.neutral, now: .seconds(36))
    #expect(breaker.admission(now: .seconds(36)) == nil)
  }

  @Test func classifiesFailures() {
    func outcome(_ error: BucketError) -> BucketBreaker.Outcome { BucketBreaker.Outcome(error) }
    #expect(outcome(.timedOut) == .failure)
    #expect(outcome(.refused(status: 503, code: "SlowDown", message: "")) == .failure)
    #expect(outcome(.refused(status: 403, code: "AccessDenied", message: "")) == .success)
    #expect(outcome(.refused(status: 403, code: "SignatureDoesNotMatch", message: "")) == .failure)
    #expect(outcome(.overloaded) == .neutral && outcome(.cancelled) == .neutral)
  }

  @Test func writesHalveAndGrowAgain() {
    var limit = WriteLimit(most: 8)
    limit.slowed(start: .zero, now: .seconds(1))
    #expect(limit.current == 4)
    // Writes that began before the cut tell of the same congestion.
    for _ in 0..<7 { limit.slowed(start: .milliseconds(500), now: .seconds(2)) }
    #expect(limit.current == 4)
    limit.slowed(start: .seconds(1), now: .seconds(2))
    limit.slowed(start: .seconds(2), now: .seconds(3))
    limit.slowed(start: .seconds(3), now: .seconds(4))
    #expect(limit.current == 1)
    var successes = 0
    while limit.current < 8, successes < 1_000 {
      limit.succeeded()
      successes += 1
    }
    // About as many as a round for each step: 1 + 2 + … + 7.
    #expect((28...40).contains(successes))
    for _ in 0..<100 { limit.succeeded() }
    #expect(limit.current == 8)
  }

  @Test func retriesWithFullJitterWithinTheDeadline() {
    let retry = WriteRetry()
    let error = BucketError.refused(status: 503, code: "SlowDown", message: "")
    func next(_ error: BucketError, _ tried: Int, _ random: Double, deadline: Duration = .seconds(30))
      -> Duration?
    {
      retry.next(after: error, tried: tried, now: .zero, deadline: deadline, random: random)
    }
    #expect(next(error, 1, 0) == .zero)
    #expect(next(error, 1, 1) == .milliseconds(500))
    #expect(next(error, 2, 1) == .seconds(1))
    #expect(next(error, 2, 0.5) == .milliseconds(500))
    #expect(next(error, 3, 0) == nil)
    #expect(next(error, 2, 1, deadline: .milliseconds(999)) == nil)
    #expect(next(.refused(status: 400, code: "Bad", message: ""), 1, 0) == nil)
    let asks = BucketError.refused(status: 503, code: "", message: "", retryAfter: .seconds(7))
    #expect(next(asks, 1, 0) == .seconds(7))
    let forever = BucketError.refused(status: 503, code: "", message: "", retryAfter: .seconds(Int64.max / 2))
    #expect(next(forever, 1, 0) == nil)
    #expect(next(error, 1, .infinity) == .milliseconds(500))
  }
}
