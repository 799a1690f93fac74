import CalotypeLoading
import CalotypeResults
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeServing

@Suite("Sources")
struct SourceTests {
  @Test(arguments: [
    ("http://a.example/", "http://a.example/cat.jpg", true),
    ("http://a.example", "http://a.example/cat.jpg", true),
    ("http://a.example", "http://a.example:8080/cat.jpg", true),
    ("http://a.example", "http://a.example", true),
    ("http://a.example", "http://a.example.evil.net/cat.jpg", false),
    ("http://a.example", "http://a.example@evil.net/cat.jpg", false),
    ("http://a.example/", "http://a.example/@b", true), ("http://*.example/", "http://a.b.example/c", true),
    ("http://*.example/", "http://evil.net/.example/c", false),
    ("http://*.example", "http://x.example?y", true),
    ("http://*.example", "http://evil.net\\.example/", false), ("https://", "http://a", false),
    ("local://", "local:///a", true), ("http://a/*/b", "http://a/x/b/c", true),
    ("http://a/*/b", "http://a/x/y/b", false),
    ("http://a/**b", "http://a/xb", true), ("", "anything", true),
  ]) func patterns(_ pattern: String, _ source: String, _ matches: Bool) {
    #expect(SourcePattern(pattern).matches(source) == matches)
  }

  @Test(.timeLimit(.minutes(1))) func patternsWithManyStarsAreFast() {
    let pattern = SourcePattern("http://" + String(repeating: "*a", count: 64))
    #expect(
      !pattern.matches("http://" + String(repeating: "a", count: 30) + String(repeating: "b", count: 8000)))
  }

  @Test(
    arguments: [
      ("http://a.example/cat.jpg", nil), ("https://a.example/cat.jpg", nil), ("HTTP://a.example/x y", nil),
      ("http://127.0.0.1/", .sourceRefused), ("http://[::1]/", .sourceRefused),
      ("http://10.1.2.3/", .sourceRefused),
      ("http://[::ffff:10.0.0.1]/", .sourceRefused), ("http://[64:ff9b::10.0.0.1]/", .sourceRefused),
      ("ftp://a.example/", .sourceUnreachable), ("cat.jpg", .sourceUnreachable),
      ("http:///cat", .sourceUnreachable),
      ("local:///a.jpg", nil), ("local:///b/../a.jpg", .sourceRefused), ("local:///", .sourceRefused),
      ("local:///..", .sourceRefused), ("://", .sourceUnreachable),
      ("file:///etc/passwd", .sourceUnreachable),
      ("data:image/png;base64,AAAA", .sourceUnreachable),
      ("http://good.example\\@evil.net/", .sourceUnreachable),
      ("http://good.example\\.evil.net/", .sourceUnreachable),
      ("http://good.example \n.evil.net/", .sourceUnreachable),
    ] as [(String, FailureReason?)]) func resolution(_ text: String, _ reason: FailureReason?)
  {
    let resolver = SourceResolver(localRoot: "/srv/images")
    do {
      let source = try resolver.resolve(text)
      #expect(reason == nil, "\(text) is \(source.url)")
      #expect(source.text == text)
    } catch {
      #expect(error.reason == reason, "\(text)")
    }
  }

  @Test func localPathsStayBelowTheirRoot() throws {
    let source = try SourceResolver(localRoot: "/srv/images").resolve("local:///a//b%2F..%2Fc.jpg?v=2")
    #expect(source.url.path(percentEncoded: false) == "/srv/images/a/b%2F..%2Fc.jpg")
  }

  @Test(arguments: ["f/../x", "f/.%2e/x", "f/%2E%2e", "f/./x", "f\\..\\x"])
  func dotSegmentsLeadOutOfNoPattern(_ path: String) throws {
    let resolver = SourceResolver(allowed: [SourcePattern("https://a.example/f/")])
    #expect(throws: Failure.self) { try resolver.resolve("https://a.example/" + path) }
    _ = try resolver.resolve("https://a.example/f/a..b/%252e%252e?x=/../y")
  }

  @Test func keysOfObjectsAreTakenAsTheyAre() throws {
    var resolver = SourceResolver()
    #expect(throws: Failure.self) { try resolver.resolve("s3://photos/a.jpg") }
    resolver.readsBuckets = true
    for (text, path, query) in [
      ("s3://photos/2026/a b%20c.jpg", "/2026/a b%20c.jpg", nil),
      ("s3://photos/a.jpg?v 1", "/a.jpg", "versionId=v 1"),
      ("S3://my.bucket-1/ü+#1", "/ü+#1", nil),
    ] as [(String, String, String?)] {
      let source = try resolver.resolve(text)
      #expect(
        source.url.path(percentEncoded: false) == path && source.url.query(percentEncoded: false) == query)
      #expect(source.text == text && source.url.scheme == "s3" && source.share.hasPrefix("s3:"))
    }
    for text in ["s3://photos", "s3://photos/", "s3:///a.jpg", "s3://a@b/c.jpg", "s3://a:80/c.jpg"] {
      #expect(throws: Failure.self) { try resolver.resolve(text) }
    }
  }

  @Test func refusedSourcesAreNotAllowed() {
    let resolver = SourceResolver(allowed: [SourcePattern("https://a.example/")])
    #expect(throws: Failure.self) { try resolver.resolve("https://b.example/a.jpg") }
    #expect(resolver.isAllowed("https://a.example/a.jpg"))
  }

  @Test(arguments: [
    (["https://a.example/x", "/y", "z"], true), (["https://b.example/x", "https://a.example/x"], false),
    (["//b.example/x"], false), ([], true),
  ]) func redirectsAreAllowedOneByOne(_ locations: [String], _ isAllowed: Bool) throws {
    let resolver = SourceResolver(allowed: [SourcePattern("https://a.example/")])
    let start = try #require(URL(string: "https://a.example/a.jpg"))
    var response = LoadResponse(url: start, status: 200, body: LoadBody([]))
    response.redirects = locations.map { .init(status: 302, headers: [.location: $0]) }
    #expect(resolver.areAllowed(response, from: start) == isAllowed)
    response.redirects.append(.init(status: 302, headers: [:]))
    #expect(!resolver.areAllowed(response, from: start))
  }

  @Test(arguments: [
    ("10.0.0.1", AddressKind.private), ("100.127.255.255", .private), ("100.128.0.0", .other),
    ("fd00::1", .private),
    ("172.15.0.1", .other), ("172.31.0.1", .private), ("0.0.0.0", .loopback), ("::", .loopback),
    ("::1", .loopback),
    ("::2", .other), ("127.9.9.9", .loopback), ("::ffff:127.0.0.1", .loopback), ("fe80::1", .linkLocal),
    ("169.254.169.254", .linkLocal), ("2002:a9fe:a9fe::", .linkLocal),
    ("64:ff9b:1:a9fe:a9:fe00::", .linkLocal),
    ("2001:0:1:2:3:4:f5ff:fffe", .private), ("8.8.8.8", .other), ("2001:4860:4860::8888", .other),
    ("2001:db8::5efe:a00:1", .private),
  ]) func addresses(_ text: String, _ kind: AddressKind) {
    #expect(AddressKind(text) == kind)
  }

  @Test(arguments: ["", "a.example", "1.2.3", "1.2.3.4.5", "::g", "2130706433", "1.2.3.4\u{0}"])
  func namesAreNoAddresses(_ text: String) { #expect(AddressKind(text) == nil) }

  @Test(
    arguments: [
      ("bytes 0-9/10", 10, true), ("bytes 0-9/10", nil, true), ("bytes 0-9/*", 10, true),
      ("bytes 0-9/*", nil, false),
      ("bytes 1-9/10", 10, false), ("bytes 0-8/10", 9, false), ("bytes 0-9/10", 9, false),
      ("items 0-9/10", 10, false),
      ("", 10, false), ("bytes 0-9223372036854775807/*", 10, false),
      ("bytes 0-99999999999999999999/10", 10, false),
      ("bytes -9/10", 10, false), ("bytes 0-+9/10", 10, false),
    ] as [(String, Int?, Bool)]) func parts(_ range: String, _ length: Int?, _ isWhole: Bool)
  {
    #expect(PartialSource.isWhole(range, length: length) == isWhole)
  }
}
