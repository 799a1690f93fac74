import CalotypeCaching
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Decisions about stored responses")
struct CacheDecisionTests {
  enum Outcome: Equatable {
    /// Seconds for which it stays fresh.
    case fresh(Int)
    /// Seconds since it became stale.
    case stale(Int)
    case staleWhileRevalidate
    case revalidate, load, unavailable
  }

  struct Row: CustomTestStringConvertible {
    let name: String
    let response: String
    let at: Int
    let request: String
    let policy: FreshnessPolicy
    let status: Int
    let delay: Int
    let outcome: Outcome
    var testDescription: String { name }

    init(
      _ name: String, _ response: String, at: Int, asking request: String = "",
      by policy: FreshnessPolicy = .ours,
      status: Int = 200, delay: Int = 0, _ outcome: Outcome
    ) {
      self.name = name
      self.response = response
      self.at = at
      self.request = request
      self.policy = policy
      self.status = status
      self.delay = delay
      self.outcome = outcome
    }
  }

  @Test(arguments: all) func decides(_ row: Row) throws {
    let stored = try #require(storedResponse(row.response, status: row.status, delay: row.delay))
    let now = moment(row.at)
    let decision = row.policy.decision(for: fields(row.request), stored: stored, now: now)
    let outcome: Outcome =
      switch decision {
      case .fresh(let until): .fresh(Int(until.timeIntervalSince(max(now, responseTime))))
      case .stale(let since): .stale(Int(now.timeIntervalSince(since)))
      case .staleWhileRevalidate: .staleWhileRevalidate
      case .revalidate: .revalidate
      case .load: .load
      case .unavailable: .unavailable
      }
    #expect(outcome == row.outcome)
    // The same after a stay on disk.
    let again = try #require(StoredResponse(text: stored.text))
    #expect(row.policy.decision(for: fields(row.request), stored: again, now: now) == decision)
  }

  @Test func theTableIsLong() {
    #expect(Self.all.count >= 120)
    #expect(Set(Self.all.map(\.name)).count == Self.all.count)
  }

  @Test func nothingIsStored() {
    #expect(FreshnessPolicy.ours.decision(for: [:], stored: nil, now: moment(0)) == .load)
    #expect(
      FreshnessPolicy.ours.decision(for: fields("Cache-Control: only-if-cached"), stored: nil, now: moment(0))
        == .unavailable)
  }

  @Test func conditionsAreThoseOfTheStoredResponse() throws {
    let stored = try #require(
      storedResponse("ETag: W/\"a,b\"\nCache-Control: max-age=0\n" + Self.modified))
    let conditions = fields("If-None-Match: W/\"a,b\"\nIf-Modified-Since: Mon, 05 May 2025 00:00:00 GMT")
    #expect(
      FreshnessPolicy.ours.decision(for: [:], stored: stored, now: moment(0)) == .revalidate(conditions))
    let late = FreshnessPolicy(staleWhileRevalidate: .seconds(9))
    #expect(late.decision(for: [:], stored: stored, now: moment(0)) == .staleWhileRevalidate(conditions))
  }

  struct Variation: CustomTestStringConvertible {
    let vary: String
    let first: String
    let second: String
    let matches: Bool
    var testDescription: String { "\(vary): \(first) and \(second)" }
  }

  @Test(arguments: [
    Variation(vary: "Accept", first: "Accept: image/webp", second: "Accept: image/webp", matches: true),
    Variation(vary: "Accept", first: "Accept: image/webp", second: "Accept: image/png", matches: false),
    Variation(
      vary: "accept", first: "ACCEPT: image/webp,*/*", second: "accept: image/webp ,  */*", matches: true),
    Variation(vary: "Accept", first: "Accept: image/webp", second: "", matches: false),
    Variation(vary: "Accept", first: "", second: "Accept:", matches: false),
    Variation(vary: "Accept", first: "", second: "", matches: true),
    Variation(vary: "Accept", first: "X: 1", second: "X: 2", matches: true),
    Variation(vary: "Accept, X", first: "X: 1", second: "X: 2", matches: false),
    Variation(vary: "X", first: "X: a", second: "X: A", matches: false),
    Variation(vary: "X", first: "X: 1\nX: 2", second: "X: 1, 2", matches: true),
    Variation(vary: "X", first: "X: 1\nX: 2", second: "X: 2\nX: 1", matches: false),
    Variation(vary: "Accept,, ,X", first: "", second: "", matches: true),
    Variation(vary: "*", first: "", second: "", matches: false),
    Variation(vary: "Accept, *", first: "", second: "", matches: false),
    Variation(vary: "Acc ept", first: "", second: "", matches: false),
    Variation(vary: (0..<40).map { "x\($0)" }.joined(separator: ","), first: "", second: "", matches: false),
    Variation(
      vary: "Authorization", first: "Authorization: Basic a", second: "Authorization: Basic b", matches: false
    ),
  ])
  func variesByRequests(_ variation: Variation) throws {
    let stored = try #require(
      storedResponse(
        "Cache-Control: max-age=60\nETag: \"1\"\nVary: " + variation.vary, request: variation.first))
    let decision = FreshnessPolicy.ours.decision(
      for: fields(variation.second), stored: stored, now: moment(0))
    #expect(decision == (variation.matches ? .fresh(until: moment(60)) : .load))
    #expect(stored.matches(fields(variation.second)) == variation.matches)
    #expect(StoredResponse(text: stored.text) == stored)
    #expect(!stored.text.contains("Basic"))
  }

  struct Failure: CustomTestStringConvertible {
    let name: String
    let response: String
    var at = 0
    var request = ""
    var policy = FreshnessPolicy.strict
    var status = 200
    let serves: Bool
    var testDescription: String { name }
  }

  @Test(arguments: [
    Failure(name: "fresh", response: "Cache-Control: max-age=60", serves: true),
    Failure(name: "stale", response: "Cache-Control: max-age=60", at: 60, serves: false),
    Failure(
      name: "in the window", response: "Cache-Control: max-age=60, stale-if-error=30", at: 89, serves: true),
    Failure(
      name: "after the window", response: "Cache-Control: max-age=60, stale-if-error=30", at: 90,
      serves: false),
    Failure(
      name: "the policy's window", response: "Cache-Control: max-age=60", at: 86_459, policy: .ours,
      serves: true),
    Failure(
      name: "after the policy's", response: "Cache-Control: max-age=60", at: 86_460, policy: .ours,
      serves: false),
    Failure(
      name: "theirs wins", response: "Cache-Control: max-age=60, stale-if-error=0", at: 60, policy: .ours,
      serves: false),
    Failure(
      name: "the request's window", response: "", at: 9, request: "Cache-Control: stale-if-error=10",
      serves: true),
    Failure(
      name: "after the request's", response: "Cache-Control: stale-if-error=90", at: 10,
      request: "Cache-Control: stale-if-error=10", serves: false),
    Failure(name: "max-stale", response: "", at: 9, request: "Cache-Control: max-stale=9", serves: true),
    Failure(
      name: "must-revalidate", response: "Cache-Control: max-age=60, must-revalidate, stale-if-error=30",
      at: 60, policy: .ours, serves: false),
    Failure(
      name: "must-revalidate, fresh", response: "Cache-Control: max-age=60, must-revalidate", policy: .ours,
      serves: true),
    Failure(
      name: "must-revalidate, whoever asks", response: "Cache-Control: must-revalidate", at: 9,
      request: "Cache-Control: stale-if-error=10", serves: false),
    Failure(
      name: "no-cache", response: "Cache-Control: no-cache, stale-if-error=30", policy: .ours, serves: false),
    Failure(
      name: "s-maxage", response: "Cache-Control: s-maxage=60, stale-if-error=30", at: 60, policy: .ours,
      serves: false),
    Failure(
      name: "s-maxage, private cache", response: "Cache-Control: max-age=60, s-maxage=60, stale-if-error=30",
      at: 60, policy: .mine, serves: true),
    Failure(
      name: "a request that wants it confirmed", response: "Cache-Control: max-age=60",
      request: "Cache-Control: no-cache", policy: .ours, serves: false),
    Failure(
      name: "a request that wants it younger", response: "Cache-Control: max-age=60", at: 10,
      request: "Cache-Control: max-age=5", policy: .ours, serves: false),
    Failure(
      name: "a request that wants it fresh", response: "Cache-Control: max-age=60", at: 60,
      request: "Cache-Control: min-fresh=5", policy: .ours, serves: false),
    Failure(
      name: "another variant", response: "Cache-Control: max-age=60\nVary: X", request: "X: 1", policy: .ours,
      serves: false),
    Failure(name: "a 404", response: "", at: 60, policy: .ours, status: 404, serves: false),
    Failure(name: "a fresh 404", response: "", at: 0, policy: .ours, status: 404, serves: false),
    Failure(
      name: "pinned", response: "Cache-Control: no-cache, must-revalidate", at: 70,
      policy: .pinned(.seconds(60)), serves: true),
  ])
  func servesOnError(_ failure: Failure) throws {
    let stored = try #require(storedResponse(failure.response, status: failure.status))
    #expect(
      failure.policy.mayServeOnError(stored, for: fields(failure.request), now: moment(failure.at))
        == failure.serves)
  }

  @Test func failuresOfServers() {
    #expect([500, 502, 503, 504].allSatisfy(FreshnessPolicy.isFailure))
    #expect(![200, 304, 404, 410, 429, 501].contains(where: FreshnessPolicy.isFailure))
  }
}
