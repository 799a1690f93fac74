import SeededNumbers
import Testing

@testable import CalotypeResults

@Suite("Remembered failures")
struct NegativeResultsTests {
  /// No jitter: all bits zero gives 0.
  struct Zeros: RandomNumberGenerator {
    func next() -> UInt64 { 0 }
  }

  struct Case: Sendable {
    let failure: Failure
    /// The durations in seconds of failures that follow each other at once.
    let seconds: [Int?]
  }

  static let cases = [
    Case(failure: Failure(.sourceStatus, originStatus: 404), seconds: [60, 60]),
    Case(failure: Failure(.sourceStatus, originStatus: 410), seconds: [60]),
    Case(failure: Failure(.sourceStatus, originStatus: 500), seconds: [1, 2, 4, 8, 16, 30, 30]),
    Case(failure: Failure(.sourceTimeout), seconds: [1, 2, 4]),
    Case(failure: Failure(.sourceUnreachable), seconds: [1, 2]),
    Case(failure: Failure(.sourceStatus, originStatus: 503, retryAfter: .seconds(20)), seconds: [20]),
    Case(failure: Failure(.sourceStatus, originStatus: 429, retryAfter: .seconds(9999)), seconds: [300]),
    Case(failure: Failure(.sourceStatus, originStatus: 403), seconds: [nil]),
    Case(failure: Failure(.invalidSignature), seconds: [nil]),
    Case(failure: Failure(.overloaded, retryAfter: .seconds(2)), seconds: [nil]),
    Case(failure: Failure(.sourceRefused), seconds: [nil]),
    Case(failure: Failure(.cancelled), seconds: [nil]),
  ]

  @Test(arguments: cases) func durations(_ row: Case) {
    var table = NegativeResults()
    var random = Zeros()
    var now = Duration.seconds(100)
    for seconds in row.seconds {
      let duration = table.record(row.failure, for: "a", at: now, using: &random)
      #expect(duration == seconds.map { .seconds($0) })
      guard let duration else { continue }
      let known = table.failure(for: "a", at: now + duration - .milliseconds(250))
      #expect(known?.reason == row.failure.reason && known?.retryAfter == .milliseconds(250))
      #expect(table.failure(for: "a", at: now + duration) == nil && table.failure(for: "b", at: now) == nil)
      now += duration
    }
  }

  @Test func jitterShortensByUpToAHalf() {
    var random = Seeded(1)
    var shortest = Duration.seconds(100)
    var longest = Duration.zero
    for index in 0..<1000 {
      var table = NegativeResults()
      let duration = table.record(Failure(.sourceTimeout), for: "\(index)", at: .zero, using: &random)
      shortest = min(shortest, duration ?? .zero)
      longest = max(longest, duration ?? .zero)
    }
    #expect(shortest >= .milliseconds(500) && shortest < .milliseconds(510))
    #expect(longest <= .seconds(1) && longest > .milliseconds(990))
  }

  @Test func successAndTimeResetTheDelay() {
    var table = NegativeResults()
    var random = Zeros()
    let failure = Failure(.sourceTimeout)
    for _ in 0..<3 { table.record(failure, for: "a", at: .zero, using: &random) }
    table.forget("a")
    #expect(table.record(failure, for: "a", at: .zero, using: &random) == .seconds(1))
    #expect(table.record(failure, for: "a", at: .seconds(60), using: &random) == .seconds(2))
    #expect(table.record(failure, for: "a", at: .seconds(122), using: &random) == .seconds(1))
    table.forgetAll()
    #expect(table.count == 0)
  }

  @Test func theTableIsBounded() {
    var policy = NegativePolicy()
    policy.capacity = 10
    var table = NegativeResults(policy: policy)
    var random = Zeros()
    let failure = Failure(.sourceStatus, originStatus: 404)
    for index in 0..<1000 {
      table.record(failure, for: "\(index)", at: .zero, using: &random)
      table.record(failure, for: "kept", at: .zero, using: &random)
      if index.isMultiple(of: 7) { table.forget("\(index - 1)") }
      #expect(table.count <= 10)
    }
    #expect(table.failure(for: "kept", at: .zero) != nil && table.failure(for: "999", at: .zero) != nil)
    #expect(table.failure(for: "5", at: .zero) == nil)
    #expect(table.record(failure, for: String(repeating: "a", count: 4097), at: .zero, using: &random) == nil)
    policy.capacity = 0
    table = NegativeResults(policy: policy)
    #expect(table.record(failure, for: "a", at: .zero, using: &random) == nil && table.count == 0)
  }
}
