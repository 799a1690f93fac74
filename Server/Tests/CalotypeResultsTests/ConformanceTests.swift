import HTTPTypes
import Testing

@testable import CalotypeResults

@Suite("Conformance with imgproxy: responses")
struct ConformanceTests {
  /// 2026-01-01, and the moments that rows speak of.
  static let now: Int64 = 1_767_225_600
  static let year2030: Int64 = 1_893_456_000

  @Test(arguments: Vector.group("cache-control")) func cacheControl(_ row: Vector) throws {
    var rule = CacheControlRule()
    if let text = row.word(after: "TTL="), !row.input.hasPrefix("FALLBACK") {
      rule.timeToLive = text == "huge" ? 1_000_000_000 : try #require(Int(text))
    }
    if let text = row.word(after: "FALLBACK_IMAGE_TTL=") { rule.fallbackTimeToLive = try #require(Int(text)) }
    rule.passesThrough = row.input.contains("passthrough") && !row.input.contains("passthrough off")
    var response = CacheControlRule.Response()
    response.isFallback = row.input.contains("fallback used")
    if row.input.contains("status ≥ 400") { response.status = 404 }
    if row.input.contains("expires option 2030") { response.expires = Self.year2030 }
    if row.input.contains("expires in 10 s") { response.expires = Self.now + 10 }
    if row.input.contains("expires zero") { response.expires = 0 }
    if row.input.contains("expires option"), response.expires == nil { response.expires = Self.now + 3600 }
    if let text = row.word(after: "max-age=") {
      response.originCacheControl = "max-age=\(text)" + (row.input.contains(", public") ? ", public" : "")
    }
    if row.input.contains("Expires in 2030") { response.originExpires = "Tue, 01 Jan 2030 00:00:00 GMT" }
    if row.input.contains("Expires in 1 h") { response.originExpires = Self.date(3600) }
    if row.input.contains("Expires 2 h") || row.input.contains("+ Expires") {
      response.originExpires = Self.date(7200)
    }
    let expected =
      switch row.expected {
      case "no Cache-Control": String?.none
      case let text where text.contains("<seconds left>"): "max-age=\(Self.year2030 - Self.now), public"
      case let text where text.contains("option wins"): "max-age=3600, public"
      case let text where text.hasPrefix("1800"): "max-age=1800"
      case "max-age=4242": "max-age=4242, public"
      case let text: String(text.prefix { $0 != ";" && $0 != "(" }).trimmed
      }
    #expect(rule.value(for: response, now: Self.now) == expected)
  }

  static func date(_ seconds: Int) -> String { HTTPDate(secondsSince1970: Int(now) + seconds).text }

  @Test(arguments: Vector.group("header")) func headers(_ row: Vector) throws {
    if row.expected.hasPrefix("Content-Security-Policy: ") {
      let value = SecurityRule().fields[.contentSecurityPolicy]
      #expect("Content-Security-Policy: \(value ?? "")" == row.expected)
    } else if row.expected.hasPrefix("Link: "), let source = row.word(after: "source ") {
      #expect("Link: \(CanonicalLink.value(for: source) ?? "")" == row.expected)
    } else if row.input.contains("no http source") {
      #expect(CanonicalLink.value(for: "local:///image.jpg") == nil && row.expected == "no Link")
    } else {
      // The switch is the server's.
      #expect(row.input == "SET_CANONICAL_HEADER off")
    }
  }

  @Test(arguments: Vector.group("disposition")) func dispositions(_ row: Vector) throws {
    var disposition = ContentDisposition(
      source: try #require(row.word(after: "url=")).replacing("…", with: "http://example.com"))
    disposition.filename = row.word(after: "fn=") ?? ""
    disposition.fileExtension = row.word(after: "ext=") ?? ""
    disposition.contentType = row.word(after: "type ") ?? ""
    disposition.isAttachment = row.input.contains("attachment")
    #expect(disposition.value == row.expected)
  }

  @Test(arguments: Vector.group("vary")) func vary(_ row: Vector) {
    #expect("Vary: \(VaryRule(negotiatesFormats: true).value ?? "")" == row.expected)
  }

  static let buster = 1_577_836_800  // 2020-01-01
  static let before = "Tue, 31 Dec 2019 23:00:00 GMT"
  static let after = "Wed, 01 Jan 2020 01:00:00 GMT"

  static func validators(_ row: Vector) -> OriginValidators {
    var rule = OriginValidators()
    rule.passesEntityTag = row.input.hasPrefix("ETag on") || row.input.hasPrefix("both")
    rule.passesLastModified = row.input.hasPrefix("LM on") || row.input.hasPrefix("both")
    let hasBuster =
      row.input.contains("buster") && !row.input.contains("no buster")
      // In one row the text is shortened to the tags and dates.
      || row.expected.contains("buster")
    if hasBuster {
      rule.lastModifiedBuster = buster
      rule.entityTagBuster = row.input.contains("different-buster") ? "different-buster" : "buster"
    }
    return rule
  }

  @Test(arguments: Vector.group("conditional-request")) func conditionalRequests(_ row: Vector) {
    let rule = Self.validators(row)
    var client = OriginValidators.Conditions()
    if let tag = row.word(after: "INM ") ?? row.word(after: "If-None-Match ") {
      client.ifNoneMatch = tag.hasPrefix("W/") ? tag : "\"\(tag)\""
    }
    if row.input.contains("IMS") {
      client.ifModifiedSince = row.input.contains("not a date") ? "today" : Self.after
    }
    if row.input.contains("both"), client.ifNoneMatch == nil {
      client = OriginValidators.Conditions(ifNoneMatch: "\"etag1\"", ifModifiedSince: Self.after)
    }
    let sent = rule.originConditions(from: client)
    let tag = sent.ifNoneMatch?.replacing("\"", with: "")
    let expected: (tag: String?, date: String?) =
      switch row.expected {
      case "nothing sent to origin", "neither sent", "IMS not sent": (nil, nil)
      case "IMS sent": (nil, Self.after)
      case "etag1 sent": ("etag1", nil)
      case "both sent": ("etag1", Self.after)
      default: ("unknown expectation", nil)
      }
    #expect(tag == expected.tag && sent.ifModifiedSince == expected.date)
  }

  @Test(arguments: Vector.group("conditional-response")) func conditionalResponses(_ row: Vector) {
    let rule = Self.validators(row)
    var origin = OriginValidators.Validators()
    if let tag = row.word(after: "origin etag") { origin.entityTag = "etag\(tag)" }
    if row.input.contains("all off") { origin.entityTag = "etag" }
    if row.input.contains("older") { origin.lastModified = Self.before }
    if row.input.contains("newer") || row.input.contains("all off") { origin.lastModified = Self.after }
    if row.input.contains("not a date") { origin.lastModified = "today" }
    let sent = rule.clientValidators(from: origin)
    let isBuster = row.expected.contains("buster date")
    let expectedDate =
      isBuster ? "Wed, 01 Jan 2020 00:00:00 GMT" : row.expected == "origin date" ? Self.after : nil
    #expect(sent.lastModified == expectedDate)
    let mark = row.expected.firstRange(of: "ETag: ")?.upperBound
    #expect(sent.entityTag == mark.map { String(row.expected[$0...].prefix { $0 != "," }) })
  }

  /// Rows that need a running server.
  static let served: Set<String> = [
    "status-003", "status-007", "status-012", "status-020", "status-032", "status-033", "status-034",
    "status-035",
    "status-042", "origin-206-001", "origin-206-007",
  ]

  /// The failure that the text of a row describes.
  static func failure(_ text: String) -> Failure? {
    let table: [(String, Failure)] = [
      ("cannot be written", Failure(.unwritableFormat)), ("MAX_SRC_FILE_SIZE", Failure(.sourceTooLarge)),
      ("max_src_file_size", Failure(.sourceTooLarge)), ("MAX_SRC_RESOLUTION", Failure(.sourceTooLarge)),
      ("origin 500", Failure(.sourceStatus, originStatus: 500)), ("unreachable", Failure(.sourceUnreachable)),
      ("not an image", Failure(.unsupportedSource)), ("address", Failure(.sourceRefused)),
      ("ALLOWED_SOURCES", Failure(.sourceRefused)), ("unknown scheme", Failure(.sourceUnreachable)),
      ("download timeout", Failure(.sourceTimeout)), ("shorter than", Failure(.sourceIncomplete)),
      ("client goes away", Failure(.cancelled)), ("queue full", Failure(.queueFull)),
      ("panic", Failure(.internal)), ("no Authorization", Failure(.unauthorized)),
      ("undecodable", Failure(.undecodable)), ("origin 206", Failure(.sourceUnreachable)),
    ]
    return table.first { text.contains($0.0) }?.1
  }

  @Test(arguments: Vector.group("status", "origin-206").filter { !served.contains($0.id) })
  func statuses(_ row: Vector) throws {
    if let client = row.word(after: "X-Request-ID: ") {
      let text = client.hasPrefix("\"") ? "a b" : client
      #expect(RequestID.isUsable(text) == (row.expected == "echoed"))
      return
    }
    let failure = try #require(Self.failure(row.input))
    let reply = ErrorTable().reply(to: failure)
    #expect(row.expected.hasPrefix(String(reply.status.code)))
    let sentence = row.expected.dropFirst(4).prefix { $0 != "(" }
    if !sentence.isEmpty, sentence.first != " " { #expect(reply.body == String(sentence).trimmed) }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
