import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeCaching

@Suite("Stored responses")
struct StoredResponseTests {
  private func sample() throws -> StoredResponse {
    try #require(
      storedResponse(
        "Cache-Control: max-age=60\nCache-Control: public\nContent-Type: image/png\nETag: \"1\"\nPragma:\nVary: Accept, X",
        request: "Accept: image/webp", delay: 1))
  }

  @Test func writesText() throws {
    let stored = try sample()
    let digest = Array("accept:image/webp".utf8).withUnsafeBytes { Digest256(sha256: $0).hex }
    let expected = """
      response/1 200
      requested 1747267199
      received 1747267200
      selected accept \(digest)
      selected x -
      cache-control: max-age=60
      cache-control: public
      etag: "1"
      pragma:\u{20}
      vary: Accept, X
      content-type: image/png

      """
    #expect(stored.text == expected)
    #expect(StoredResponse(text: expected) == stored)
  }

  @Test func readsOnlyWhatItWrites() throws {
    let text = try sample().text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for index in lines.indices.dropLast() {
      var fewer = lines
      fewer.remove(at: index)
      // Fields may be missing, the rest may not.
      let isField = index >= 3
      #expect((StoredResponse(text: fewer.joined(separator: "\n")) != nil) == isField)
      var twice = lines
      twice.insert(lines[index], at: index)
      #expect((StoredResponse(text: twice.joined(separator: "\n")) != nil) == (index >= 5))
    }
    for (old, new) in [
      ("response/1 200", "response/2 200"), ("200", "99"), ("200", "1000"), ("200", "0200"), ("200", "+200"),
      ("requested 1", "requested 01"), ("received 1747267200", "received 999999999999999"),
      ("received 1747267200", "received x"), ("selected x -", "selected x"), ("selected x -", "selected X -"),
      ("selected x -", "selected x abc"), ("selected x -", "selected x - -"),
      ("selected x -", "selected a -"),
      ("etag: \"1\"", "etag:\"1\""), ("etag: \"1\"", "etag:  \"1\""), ("etag: \"1\"", "ETag: \"1\""),
      ("etag: \"1\"", "etag: \"1\" "), ("etag: \"1\"", "set-cookie: 1"), ("etag: \"1\"", "etag: \u{0}"),
      ("etag: \"1\"", ":status: 200"), ("etag: \"1\"", "e tag: 1"), ("selected x -", "selected *"),
    ] {
      #expect(StoredResponse(text: text.replacing(old, with: new)) == nil, "\(old) as \(new)")
    }
    let bytes = Array(text.utf8)
    for end in bytes.indices where bytes[end] != UInt8(ascii: "\n") {
      #expect(StoredResponse(text: String(decoding: bytes[...end], as: UTF8.self)) == nil)
    }
    #expect(StoredResponse(text: "") == nil)
    #expect(StoredResponse(text: text + String(repeating: "x", count: 40_000)) == nil)
  }

  @Test func isBounded() throws {
    let long = String(repeating: "x", count: StoredResponse.maxTextLength)
    #expect(storedResponse("ETag: " + long) == nil)
    #expect(storedResponse("X: " + long) != nil)
    let some = try #require(storedResponse("ETag: " + long.prefix(30_000)))
    #expect(some.text.utf8.count <= StoredResponse.maxTextLength)
    #expect(StoredResponse(text: some.text) == some)
    var many = HTTPFields()
    for number in 0..<20_000 { many.append(HTTPField(name: .expires, value: "\(number)")) }
    let made = StoredResponse(
      status: 200, fields: many, request: [:], requestTime: responseTime, responseTime: responseTime)
    #expect(made == nil)
    #expect(storedResponse("", status: 99) == nil)
  }

  @Test func valuesThatAreNoLine() throws {
    var hostile = HTTPFields()
    hostile.append(HTTPField(name: .eTag, lenientValue: Array("\r\n\"1\"\nselected *\0\t ".utf8)))
    hostile.append(HTTPField(name: .vary, lenientValue: [0xFF, 0x0A, 0xC0]))
    let stored = try #require(
      StoredResponse(
        status: 200, fields: hostile, request: [:], requestTime: responseTime, responseTime: responseTime))
    #expect(stored.text.split(separator: "\n").count == 6)
    #expect(StoredResponse(text: stored.text) == stored)
    #expect(!stored.matches([:]))
  }

  @Test func metadataIsCodable() throws {
    let response = try #require(
      StoredResponse(
        status: 200, fields: [.cacheControl: "max-age=1", .vary: "Accept"], request: [.accept: "image/png"],
        requestTime: Date(timeIntervalSince1970: 1), responseTime: Date(timeIntervalSince1970: 2)))
    let metadata = RecordMetadata(
      contentType: "image/png", expires: Date(timeIntervalSince1970: 3), response: response,
      tags: ["b", "a"],
      user: ["k": "v"])
    let data = try JSONEncoder().encode(metadata)
    #expect(try JSONDecoder().decode(RecordMetadata.self, from: data) == metadata)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(StoredResponse.self, from: Data("\"response/1 200\"".utf8))
    }
  }

  @Test func validators() throws {
    let both = try #require(
      storedResponse("ETag: W/\"1\"\nLast-Modified: Mon, 05 May 2025 00:00:00 GMT"))
    #expect(both.hasValidators && both.entityTag?.isWeak == true)
    #expect(both.lastModified == "Mon, 05 May 2025 00:00:00 GMT")
    let none = try #require(storedResponse("ETag: *\nLast-Modified: long ago"))
    #expect(!none.hasValidators && none.conditionalFields.isEmpty)
    #expect(none.entityTag == nil && none.lastModified == nil)
  }

  // Properties.

  private static let words = [
    "max-age=60", "max-age=99999999999999999999", "s-maxage=0", "no-cache", "no-cache=\"a", "private",
    "immutable",
    "must-revalidate", "stale-while-revalidate=5", "stale-if-error=2147483648", "=", ",", "\"", "\\", "x",
    " ", "\t",
    "Thu, 15 May 2025 00:01:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "0",
    "-1",
    "2147483648", "W/\"1\"", "\"1\"", "*", "accept", "ü", "\u{1}", "max-stale", "min-fresh=3",
    "only-if-cached", "public",
  ]
  private static let times: [Double] = [
    0, 1_747_267_200, 1_747_267_260.5, 1_747_353_600, 1e18, -1e18, .infinity, -.infinity, .nan,
    .greatestFiniteMagnitude,
    253_402_300_800, -62_167_219_200,
  ]

  private func anyFields(_ random: inout some RandomNumberGenerator) -> HTTPFields {
    var fields = HTTPFields()
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let names = StoredResponse.keptNames + [.accept, .authorization]
      let value = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Self.words.randomElement(using: &random) ?? ""
      }
      fields.append(
        HTTPField(
          name: names.randomElement(using: &random) ?? .vary,
          value: value.joined(separator: Bool.random(using: &random) ? ", " : "")))
    }
    return fields
  }

  /// Whatever comes: text keeps it, age grows with time, what is fresh stays so until it is stale, and no sum overflows.
  @Test(arguments: 0..<16) func promises(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      func time() -> Date { Date(timeIntervalSince1970: Self.times.randomElement(using: &random) ?? 0) }
      let policy = FreshnessPolicy(
        mode: Bool.random(using: &random) ? .shared : .private,
        heuristicFraction: [0.1, .infinity, -.infinity, .nan, -1].randomElement(using: &random) ?? 0,
        maxHeuristicLifetime: .seconds([0, 60, .max].randomElement(using: &random) ?? 0),
        minLifetime: .seconds([0, 60, Int64.min].randomElement(using: &random) ?? 0),
        maxLifetime: .seconds([0, 60, Int64.max].randomElement(using: &random) ?? 0),
        staleWhileRevalidate: .seconds([0, Int64.max].randomElement(using: &random) ?? 0))
      let request = anyFields(&random)
      let response = anyFields(&random)
      let decision = policy.storeDecision(
        request: request, status: [200, 203, 404].randomElement(using: &random) ?? 200, response: response,
        requestTime: time(), responseTime: time())
      guard let stored = decision.stored else { continue }
      #expect(StoredResponse(text: stored.text) == stored)
      #expect(StoredResponse(text: stored.text)?.text == stored.text)
      #expect(policy.freshnessLifetime(stored) >= .zero)
      let moments = Self.times.filter { !$0.isNaN }.sorted().map { Date(timeIntervalSince1970: $0) }
      let ages = moments.map { stored.currentAge(at: $0) }
      #expect(ages == ages.sorted() && ages.allSatisfy { $0 >= .zero })
      var wasStale = false
      for moment in moments {
        if case .fresh = policy.decision(for: [:], stored: stored, now: moment) {
          #expect(!wasStale)
        } else {
          wasStale = true
        }
        _ = policy.decision(for: request, stored: stored, now: moment)
        _ = policy.mayServeOnError(stored, for: request, now: moment)
      }
      let again = policy.storeDecision(
        revalidating: stored, notModified: anyFields(&random), request: request, requestTime: time(),
        responseTime: time())
      if let again = again.stored { #expect(StoredResponse(text: again.text) == again) }
    }
  }
}

extension FreshnessPolicy {
  fileprivate func freshnessLifetime(_ stored: StoredResponse) -> Duration {
    stored.freshnessLifetime(under: self)
  }
}
