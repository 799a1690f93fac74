import HTTPTypes
import SeededNumbers
import Testing

@testable import CalotypeResults

@Suite("Header fields of responses")
struct FieldTests {
  @Test(arguments: [
    ("http://a/naïve.png", "", #"inline; filename="na_ve.png"; filename*=UTF-8''na%C3%AFve.png"#),
    (
      "http://a/na%C3%AFve.png?x=/y.gif#z", "",
      #"inline; filename="na_ve.png"; filename*=UTF-8''na%C3%AFve.png"#
    ),
    ("http://a/x%2Fy.png", "", #"inline; filename="x_y.png""#),
    ("http://a/b.png", "../../etc/passwd", #"inline; filename=".._.._etc_passwd.png""#),
    ("http://a/b.png", "a\r\nSet-Cookie: x", #"inline; filename="aSet-Cookie_ x.png""#),
    // Right-to-left override: "gnp.exe" would be read as "exe.png".
    ("http://a/b.png", "\u{202E}gnp.exe", #"inline; filename="gnp.exe.png""#),
    ("http://a/b.png", "\u{7}\u{200F}", #"inline; filename="image.png""#),
    ("http://a/b.png", "😀", #"inline; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png"#),
    ("http://a/b.png%22;x", "", #"inline; filename="b""#),
    ("http://example.com", "", #"inline; filename="image""#),
    ("", "", #"inline; filename="image""#),
    ("http://a/%zz%.png", "", #"inline; filename="%zz%.png""#),
    ("http://a/.hidden", "", #"inline; filename="image.hidden""#),
  ])
  func names(source: String, filename: String, value: String) {
    #expect(ContentDisposition(source: source, filename: filename).value == value)
  }

  /// Any name is a valid field, and bounded.
  @Test func hostileNames() {
    var random = Seeded(3)
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0...600, using: &random)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7F : 0x10FFFF), using: &random))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let value = ContentDisposition(source: text, filename: Bool.random(using: &random) ? text : "").value
      #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && value.utf8.count < 1000)
      #expect(value.filter { $0 == "\"" }.count == 2)
      #expect(HTTPField.isValidValue(value))
    }
  }

  struct Cached: Sendable {
    let response: CacheControlRule.Response
    var passesThrough = false
    var respectsPrivacy = true
    let value: String?
  }

  static let cached = [
    Cached(response: .init(originCacheControl: "no-store"), value: "no-store"),
    Cached(
      response: .init(originCacheControl: "no-store"), respectsPrivacy: false, value: "max-age=100, public"),
    Cached(response: .init(originCacheControl: "max-age=5, Private"), value: "max-age=100, private"),
    Cached(response: .init(originCacheControl: "private=\"x\""), value: "max-age=100, private"),
    Cached(response: .init(originCacheControl: "ext=\"a, no-store\""), value: "max-age=100, public"),
    Cached(response: .init(originCacheControl: "private", expires: 1010), value: "max-age=10, private"),
    Cached(response: .init(originCacheControl: "max-age=7"), passesThrough: true, value: "max-age=7"),
    Cached(
      response: .init(originCacheControl: String(repeating: "a", count: 2000)), passesThrough: true,
      value: "max-age=100, public"),
    Cached(response: .init(originExpires: "0"), passesThrough: true, value: "no-cache"),
    Cached(
      response: .init(originExpires: "0"), passesThrough: true, respectsPrivacy: false,
      value: "max-age=100, public"),
    Cached(
      response: .init(originExpires: "Thu, 01 Jan 1970 00:20:00 GMT"), passesThrough: true,
      value: "max-age=200, public"),
    Cached(response: .init(status: 404), value: nil),
    Cached(response: .init(status: 404, isFallback: true), value: "max-age=50, public"),
    Cached(response: .init(expires: 5000), value: "max-age=100, public"),
    Cached(response: .init(expires: 1090, isFallback: true), value: "max-age=50, public"),
    Cached(response: .init(expires: 1010, isFallback: true), value: "max-age=10, public"),
    Cached(response: .init(expires: 900), value: "max-age=100, public"),
    Cached(response: .init(expires: .max), value: "max-age=100, public"),
    Cached(response: .init(expires: .min), value: "max-age=100, public"),
  ]

  @Test(arguments: cached) func cacheControl(_ row: Cached) {
    var rule = CacheControlRule()
    rule.timeToLive = 100
    rule.fallbackTimeToLive = 50
    rule.passesThrough = row.passesThrough
    rule.respectsPrivacy = row.respectsPrivacy
    #expect(rule.value(for: row.response, now: 1000) == row.value)
  }

  @Test func security() {
    let fields = SecurityRule(resourcePolicy: .crossOrigin).fields
    #expect(fields[.xContentTypeOptions] == "nosniff" && fields[.crossOriginResourcePolicy] == "cross-origin")
    #expect(SecurityRule().fields[.crossOriginResourcePolicy] == nil)
  }

  @Test(
    arguments: [
      ([], "https://a", nil, false), (["https://a"], "https://b", "https://a", false),
      (["*"], nil, "*", false),
      (["https://a", "https://b"], "https://b", "https://b", true),
      (["https://a", "https://b"], "https://c", nil, true),
      (["https://a", "https://b"], nil, nil, true), (["https://a", "*"], "https://c", "*", false),
    ] as [([String], String?, String?, Bool)])
  func crossOrigin(origins: [String], origin: String?, allowed: String?, varies: Bool) {
    let rule = CrossOriginRule(origins: origins)
    #expect(rule.fields(origin: origin)[.accessControlAllowOrigin] == allowed && rule.varies == varies)
    #expect(
      rule.fields(origin: origin)[.accessControlAllowMethods] == (allowed == nil ? nil : "GET, OPTIONS"))
  }

  @Test(arguments: [
    ("https://a/b c>;\"é\r\n", "<https://a/b%20c%3E;%22%C3%A9%0D%0A>; rel=\"canonical\""), ("s3://a/b", nil),
    ("http://" + String(repeating: "a", count: 5000), nil),
  ])
  func canonical(source: String, value: String?) {
    #expect(CanonicalLink.value(for: source) == value)
  }

  @Test(
    arguments: [
      ([:], nil), ([.encode: .milliseconds(3)], "encode;dur=3"),
      (
        [.decode: .microseconds(12_340), .queue: .microseconds(1_204), .fetch: .microseconds(1_996)],
        "queue;dur=1.2, fetch;dur=2, decode;dur=12.34"
      ), ([.queue: .microseconds(50)], "queue;dur=0.05"),
      ([.queue: .seconds(-1), .fetch: .seconds(Int64.max)], "queue;dur=0, fetch;dur=86400000"),
    ] as [([ServerTiming.Stage: Duration], String?)])
  func timing(durations: [ServerTiming.Stage: Duration], value: String?) {
    #expect(ServerTiming(durations).value == value)
  }

  @Test func requestIDs() {
    var random = Seeded(1)
    let fresh = RequestID.chosen(from: "a b", using: &random)
    #expect(RequestID.isUsable(fresh) && fresh.utf8.count == 21)
    #expect(RequestID.chosen(from: nil, using: &random) != fresh)
    #expect(RequestID.chosen(from: "abc", using: &random) == "abc")
    for text in ["", "é", "a\n", String(repeating: "a", count: 129)] { #expect(!RequestID.isUsable(text)) }
  }

  @Test func datesAreWrittenAndRead() {
    var random = Seeded(1)
    for _ in 0..<2000 {
      let time = Int.random(in: 0...253_402_300_799, using: &random)
      let date = HTTPDate(secondsSince1970: time)
      #expect(HTTPDate(date.text) == date)
    }
    #expect(HTTPDate(secondsSince1970: 784_111_777).text == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate(secondsSince1970: 951_782_400).text == "Tue, 29 Feb 2000 00:00:00 GMT")
    #expect(HTTPDate(secondsSince1970: .max).text == "Fri, 31 Dec 9999 23:59:59 GMT")
    for text in [
      "", "0", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:+7 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
      "Sun, 00 Nov 1994 08:49:37 GMT",
    ] { #expect(HTTPDate(text) == nil, "\(text)") }
  }

  /// A tag that would end the line, or is no text, is not passed to the origin.
  @Test(arguments: [
    "\"b/DQpY\"", "\"b/_w\"", "\"b/A=\"", "\"b/A+A\"", "\"b/\(String(repeating: "A", count: 5000))\"",
  ])
  func hostileTags(tag: String) {
    var rule = OriginValidators()
    rule.entityTagBuster = "b"
    let conditions = OriginValidators.Conditions(
      ifNoneMatch: tag, ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(rule.originConditions(from: conditions) == OriginValidators.Conditions())
  }

  @Test func tagsOfTheOriginComeBack() {
    var rule = OriginValidators()
    rule.entityTagBuster = "b"
    for tag in ["\"abc\"", "W/\"ü?>\"", "\"\""] {
      let client = rule.clientValidators(from: OriginValidators.Validators(entityTag: tag)).entityTag
      #expect(rule.originConditions(from: .init(ifNoneMatch: client)).ifNoneMatch == tag)
      #expect(rule.originConditions(from: .init(ifNoneMatch: "W/" + (client ?? ""))).ifNoneMatch == tag)
    }
  }
}
