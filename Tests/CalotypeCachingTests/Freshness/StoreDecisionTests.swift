import CalotypeCaching
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Decisions about responses that come")
struct StoreDecisionTests {
  struct Row: CustomTestStringConvertible {
    let name: String
    let response: String
    let status: Int
    let request: String
    let policy: FreshnessPolicy
    let method: HTTPRequest.Method
    /// `nil` when it is stored.
    let reason: FreshnessPolicy.StoreDecision.Reason?
    var testDescription: String { name }

    init(
      _ name: String, _ response: String, status: Int = 200, asking request: String = "",
      by policy: FreshnessPolicy = .ours, method: HTTPRequest.Method = .get,
      _ reason: FreshnessPolicy.StoreDecision.Reason?
    ) {
      self.name = name
      self.response = response
      self.status = status
      self.request = request
      self.policy = policy
      self.method = method
      self.reason = reason
    }
  }

  private static let secret = "Authorization: Bearer secret"

  static let rows: [Row] = [
    Row("fresh", "Cache-Control: max-age=60", nil),
    Row("nothing is said", "", nil),
    Row("203", "Cache-Control: max-age=60", status: 203, nil),
    Row("POST", "Cache-Control: max-age=60", method: .post, .method),
    Row("HEAD", "Cache-Control: max-age=60", method: .head, .method),
    Row("a part", "Cache-Control: max-age=60", status: 206, .partial),
    Row("a part that says it is whole", "Cache-Control: max-age=60\nContent-Range: bytes 0-1/2", .partial),
    Row("204", "Cache-Control: max-age=60", status: 204, .status),
    Row("a redirect", "Cache-Control: max-age=60", status: 301, .status),
    Row("304", "Cache-Control: max-age=60", status: 304, .status),
    Row(
      "304, whatever the policy says", "", status: 304,
      by: FreshnessPolicy(negativeLifetimes: [304: .seconds(9)]), .status),
    Row("404", "", status: 404, nil),
    Row(
      "404 of a policy that stores none", "Cache-Control: max-age=60", status: 404,
      by: FreshnessPolicy(negativeLifetimes: [:]), .status),
    Row("404 that is stale at once", "ETag: \"1\"\nCache-Control: max-age=0", status: 404, .neverReusable),
    Row("410", "", status: 410, nil),
    Row("403", "Cache-Control: max-age=60", status: 403, .status),
    Row("500", "", status: 500, .status),
    Row("500 that says it is fresh", "Cache-Control: public, max-age=60", status: 500, .status),
    Row("503 by policy", "", status: 503, by: FreshnessPolicy(negativeLifetimes: [503: .seconds(5)]), nil),
    Row("a status that is none", "Cache-Control: max-age=60", status: 99_999, .status),
    Row(
      "the request says no-store", "Cache-Control: max-age=60", asking: "Cache-Control: no-store",
      .requestForbids),
    Row("the response says no-store", "Cache-Control: no-store, max-age=60", .responseForbids),
    Row("no-store with a value", "Cache-Control: no-store=x, max-age=60", .responseForbids),
    Row("no-store in capitals", "Cache-Control: No-Store", .responseForbids),
    Row("no-store behind an open quote", "Cache-Control: x=\"y, no-store", .responseForbids),
    Row("no-store inside quotes", "Cache-Control: x=\"no-store\", max-age=60", nil),
    Row(
      "no-store in the second field", "Cache-Control: max-age=60\nCache-Control: no-store", .responseForbids),
    Row("no-store and must-understand", "Cache-Control: no-store, must-understand, max-age=60", nil),
    Row("must-understand of what is not", "Cache-Control: must-understand, max-age=60", status: 418, .status),
    Row("private", "Cache-Control: private, max-age=60", .isPrivate),
    Row("private, mine", "Cache-Control: private, max-age=60", by: .mine, nil),
    Row("private of a field", "Cache-Control: private=\"X\", max-age=60", nil),
    Row("private of no field", "Cache-Control: private=\"\", max-age=60", .isPrivate),
    Row("private and public", "Cache-Control: public, private, max-age=60", .isPrivate),
    Row("private, pinned", "Cache-Control: private", by: .pinned(.seconds(9)), .isPrivate),
    Row("with credentials", "Cache-Control: max-age=60", asking: secret, .authorization),
    Row("with credentials, mine", "Cache-Control: max-age=60", asking: secret, by: .mine, nil),
    Row("with credentials, public", "Cache-Control: public, max-age=60", asking: secret, nil),
    Row("with credentials, s-maxage", "Cache-Control: s-maxage=60", asking: secret, nil),
    Row(
      "with credentials, must-revalidate", "Cache-Control: max-age=60, must-revalidate", asking: secret, nil),
    Row(
      "with credentials, proxy-revalidate", "Cache-Control: max-age=60, proxy-revalidate", asking: secret,
      .authorization),
    Row("varies by everything", "Cache-Control: max-age=60\nVary: *", .variesByEverything),
    Row("varies by what is no name", "Cache-Control: max-age=60\nVary: a b", .variesByEverything),
    Row("varies by a field", "Cache-Control: max-age=60\nVary: Accept", nil),
    Row("no-cache with a validator", "Cache-Control: no-cache\nETag: \"1\"", nil),
    Row("no-cache without one", "Cache-Control: no-cache", .neverReusable),
    Row("stale, but for errors", "Cache-Control: max-age=0", nil),
    Row("stale, and not for errors", "Cache-Control: max-age=0, stale-if-error=0", .neverReusable),
    Row("stale, strict", "Cache-Control: max-age=0", by: .strict, .neverReusable),
    Row(
      "stale, strict, while revalidating", "Cache-Control: max-age=0, stale-while-revalidate=5", by: .strict,
      nil),
    Row("stale, with a validator", "Cache-Control: max-age=0\nETag: \"1\"", by: .strict, nil),
    Row("too old when it came", "Cache-Control: max-age=60\nAge: 61", by: .strict, .neverReusable),
    Row(
      "a header that does not end", "ETag: \"" + String(repeating: "x", count: 40_000) + "\"", .headerTooLarge
    ),
    Row("a header that nobody keeps", "X: " + String(repeating: "x", count: 40_000), nil),
  ]

  @Test(arguments: rows) func decides(_ row: Row) {
    let decision = row.policy.storeDecision(
      method: row.method, request: fields(row.request), status: row.status, response: fields(row.response),
      requestTime: responseTime, responseTime: responseTime)
    switch decision {
    case .store(let stored):
      #expect(row.reason == nil)
      #expect(stored.status == row.status)
      #expect(!stored.text.contains("secret"))
    case .refuse(let reason):
      #expect(reason == row.reason)
      #expect(decision.stored == nil)
    }
  }

  private func stored(_ response: String, _ policy: FreshnessPolicy = .ours) throws -> StoredResponse {
    try #require(
      policy.storeDecision(
        request: [:], status: 200, response: fields(response), requestTime: responseTime,
        responseTime: responseTime
      ).stored)
  }

  @Test func keepsNoMoreThanItNeeds() throws {
    let kept = try stored(
      """
      Content-Type: image/png
      Set-Cookie: a=1
      Connection: close
      Content-Length: 12
      Content-Encoding: gzip
      Content-MD5: x
      Transfer-Encoding: chunked
      WWW-Authenticate: Basic
      Cache-Control: max-age=60
      X-Secret: 1
      """)
    #expect(kept.fields == fields("Content-Type: image/png\nCache-Control: max-age=60"))
  }

  @Test func fieldsThatAreNoCacheOrPrivate() throws {
    let text = "Content-Type: image/png\nContent-Language: de\nETag: \"1\"\n"
    let noCache = try stored(text + "Cache-Control: max-age=60, no-cache=\"content-language, etag\"")
    #expect(noCache.fields[.contentLanguage] == nil)
    #expect(noCache.fields[.contentType] == "image/png")
    #expect(noCache.entityTag != nil)
    let shared = try stored(text + "Cache-Control: max-age=60, private=Content-Type")
    #expect(shared.fields[.contentType] == nil)
    let mine = try stored(text + "Cache-Control: max-age=60, private=Content-Type", .mine)
    #expect(mine.fields[.contentType] == "image/png")
  }

  // Freshening by 304.

  private func revalidated(
    _ response: String, by notModified: String, _ policy: FreshnessPolicy = .ours,
    asking request: String = ""
  ) throws -> FreshnessPolicy.StoreDecision {
    policy.storeDecision(
      revalidating: try #require(storedResponse(response)), notModified: fields(notModified),
      request: fields(request), requestTime: moment(100), responseTime: moment(101))
  }

  @Test func a304MakesItFreshAgain() throws {
    let old = "Cache-Control: max-age=60\nAge: 50\nDate: Thu, 15 May 2025 00:00:00 GMT\nETag: \"1\""
    let merged = try #require(try revalidated(old, by: "ETag: \"1\"").stored)
    #expect(merged.currentAge(at: moment(101)) == .seconds(1))
    #expect(merged.freshnessLifetime(under: .ours) == .seconds(60))
    #expect(merged.requestTime == moment(100) && merged.responseTime == moment(101))
    #expect(
      FreshnessPolicy.ours.decision(for: [:], stored: merged, now: moment(101)) == .fresh(until: moment(160)))
  }

  @Test func a304TakesThePlaceOfFields() throws {
    let old = """
      Content-Type: image/png
      Content-Disposition: inline
      Cache-Control: max-age=60
      Cache-Control: public
      ETag: "1"
      Vary: Accept
      """
    let new = """
      Content-Type: text/html
      Content-Disposition: attachment
      Content-Length: 0
      Content-Encoding: gzip
      Content-Range: bytes 0-1/2
      Set-Cookie: a=1
      Cache-Control: max-age=5
      Age: 3
      Date: Thu, 15 May 2025 00:01:41 GMT
      ETag: W/"1"
      Last-Modified: Mon, 05 May 2025 00:00:00 GMT
      Expires: 0
      """
    let merged = try #require(try revalidated(old, by: new, asking: "Accept: image/webp").stored)
    let expected = """
      Content-Type: image/png
      Content-Disposition: inline
      Cache-Control: max-age=5
      Age: 3
      Date: Thu, 15 May 2025 00:01:41 GMT
      ETag: W/"1"
      Last-Modified: Mon, 05 May 2025 00:00:00 GMT
      Expires: 0
      Vary: Accept
      """
    #expect(merged.fields == fields(expected))
    #expect(merged.matches(fields("Accept: image/webp")) && !merged.matches([:]))
    #expect(merged.currentAge(at: moment(101)) == .seconds(4))
  }

  @Test(arguments: [
    ("ETag: \"1\"", "ETag: \"2\"", false), ("ETag: \"1\"", "ETag: W/\"1\"", true),
    ("ETag: W/\"1\"", "ETag: \"1\"", true),
    ("ETag: \"1\"", "ETag: nonsense", true), ("ETag: \"1\"", "", true),
    ("ETag: \"1\"", "Last-Modified: Mon, 05 May 2025 00:00:00 GMT", true),
    ("Last-Modified: Mon, 05 May 2025 00:00:00 GMT", "Last-Modified: Mon, 05 May 2025 00:00:00 GMT", true),
    ("Last-Modified: Mon, 05 May 2025 00:00:00 GMT", "Last-Modified: Mon, 05 May 2025 00:00:01 GMT", false),
    ("Last-Modified: Mon, 05 May 2025 00:00:00 GMT", "Last-Modified: Sun, 04 May 2025 00:00:00 GMT", true),
    ("Last-Modified: Mon, 05 May 2025 00:00:00 GMT", "ETag: \"1\"", true),
  ])
  func a304IsForOneVersion(old: String, new: String, isSame: Bool) throws {
    let decision = try revalidated(old, by: new)
    if isSame { #expect(decision.stored != nil) } else { #expect(decision == .refuse(.otherVersion)) }
  }

  @Test func a304MayForbidToKeepIt() throws {
    let old = "ETag: \"1\"\nCache-Control: max-age=60"
    #expect(try revalidated(old, by: "Cache-Control: no-store") == .refuse(.responseForbids))
    #expect(try revalidated(old, by: "Cache-Control: private") == .refuse(.isPrivate))
    #expect(try revalidated(old, by: "Cache-Control: private", .mine).stored != nil)
    #expect(try revalidated(old, by: "Vary: *") == .refuse(.variesByEverything))
    #expect(try revalidated(old, by: "", asking: Self.secret) == .refuse(.authorization))
    let long = "Expires: " + String(repeating: "x", count: 40_000)
    #expect(try revalidated(old, by: long) == .refuse(.headerTooLarge))
  }
}
