import CalotypeURLs
import Testing

@Suite("Targets of requests")
struct SplittingTests {
  @Test(arguments: [
    ("rs:fill:1:2/plain/http://a/b", "rs:fill:1:2/plain/http://a/b"),
    ("rs%3Afill%3A1/plain/http%3A//a", "rs:fill:1/plain/http%3A//a"), ("rs%3afill/x", "rs%3afill/x"),
    ("%3%3AA/x", "%3:A/x"),
    ("plain/http:/a/b", "plain/http://a/b"), ("w:1/plain/https:/a/b", "w:1/plain/https://a/b"),
    ("plain/local:/a", "plain/local:///a"), ("w:1/plain/local:///a", "w:1/plain/local:///a"),
    ("plain/s3:/b/k", "plain/s3://b/k"), ("plain/http:", "plain/http:"), ("plain/http:/", "plain/http:/"),
    ("plain/:/a", "plain/:/a"), ("plain/http://a/b:/c", "plain/http://a/b://c"),
    ("plain/a:/b/c:/d", "plain/a:/b/c://d"),
    ("plain/locals:/a", "plain/locals://a"),
    ("w:1/plain/http:/a/plain/b%3A", "w:1/plain/http://a/plain/b%3A"),
    ("/w:1/x", "w:1/x"), ("//w:1/x", "/w:1/x"), ("plain/", "plain/"), ("w:1/plain/", "w:1/plain/"),
    ("plainx/http:/a", "plainx/http:/a"),
    ("xplain/http:/a", "xplain/http:/a"),
  ])
  func pathsAreRepaired(_ path: String, _ expected: String) throws {
    #expect(try ImgproxyDialect().split("/sig/" + path).path == expected)
  }

  @Test func theQueryIsCut() throws {
    let split = try ImgproxyDialect().split("/dummy/w:1/plain/http://a/b?c=d/plain/?%")
    #expect(split == (try ImgproxyDialect().split("dummy/w:1/plain/http://a/b")))
    #expect(split.signature == "dummy" && split.path == "w:1/plain/http://a/b")
  }

  @Test(arguments: ["", "/", "//", "/signature", "/signature/", "//x", "?/a/b", "/a?/b"])
  func incompletePathsAreRefused(_ target: String) throws {
    #expect(fault { _ = try ImgproxyDialect().split(target) } == .incompletePath)
  }

  @Test func thePrefixIsCut() throws {
    for prefix in ["/images", "images/", "/images/?a", "images#b"] {
      let dialect = try ImgproxyDialect.with { $0.pathPrefix = prefix }
      #expect(try dialect.split("/images/sig/w:1/x").path == "w:1/x")
      for target in ["/sig/w:1/x", "/imagesx/sig/w:1/x", "/images"] {
        #expect(fault { _ = try dialect.split(target) } == .incompletePath)
      }
      #expect(try dialect.url(for: "http://a/b") == "/images/unsafe/aHR0cDovL2EvYg")
      #expect(try dialect.parse(dialect.url(for: "http://a/b")).source == "http://a/b")
    }
  }

  @Test(arguments: ["/s/a\u{0}b", "/s/a\nb", "/s/a b", "/s/a\u{7F}", "/s/plain/http://a/b#c"])
  func bytesThatNoURLHasAreRefused(_ target: String) throws {
    #expect(fault { _ = try ImgproxyDialect().split(target) } == .malformedTarget)
  }

  @Test func bytesThatAreNotUTF8AreRefused() throws {
    for bytes: [UInt8] in [
      [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82],
    ] {
      let dialect = try ImgproxyDialect()
      #expect(fault { _ = try dialect.split(Array("/s/plain/http://a/".utf8) + bytes) } == .malformedTarget)
      let encoded = bytes.map { "%" + String($0, radix: 16) }.joined()
      #expect(dialect.fault(path: "plain/http://a/" + encoded) == .invalidSource)
    }
  }

  @Test func limitsHold() throws {
    let dialect = try ImgproxyDialect()
    let long = "/s/plain/http://a/" + String(repeating: "b", count: 8192 - 18)
    #expect(fault { _ = try dialect.parse(long) } == nil)
    #expect(fault { _ = try dialect.parse(long + "b") } == .tooLong)
    #expect(fault { _ = try dialect.url(for: "http://a/" + String(repeating: "b", count: 8192)) } == .tooLong)
    func many(_ count: Int) -> String { Array(repeating: "w:1", count: count).joined(separator: "/") }
    #expect(dialect.fault(many(64)) == nil)
    #expect(dialect.fault(many(65)) == .tooManyOptions)
    func chain(_ count: Int) -> String { Array(repeating: "w:1", count: count).joined(separator: "/-/") }
    #expect(dialect.fault(chain(8)) == nil)
    #expect(dialect.fault(chain(9)) == .tooManyStages)
    #expect(dialect.fault(String(repeating: "-/", count: 4000)) == .tooManyStages)
    let stages = ProcessingOptions(stages: Array(repeating: .init(), count: 9))
    #expect(fault { _ = try dialect.path(for: "http://a/b", stages) } == .tooManyStages)
  }

  @Test func limitsThatMakeNoSenseAreRefused() {
    let changes: [@Sendable (inout ImgproxyDialect.Limits) -> Void] = [
      { $0.bytes = 0 }, { $0.bytes = .max }, { $0.options = 0 }, { $0.presetDepth = -1 }, { $0.stages = 0 },
    ]
    for change in changes {
      #expect(fault { _ = try ImgproxyDialect.with { change(&$0.limits) } } == .invalidConfiguration)
    }
  }

  @Test func separatorsThatMeanSomethingElseAreRefused() throws {
    for separator in ["", "a", "-", ".", "/", "%", "+", "_", "@", "1", ":a", "é"] {
      #expect(fault { _ = try ImgproxyDialect.with { $0.separator = separator } } == .invalidConfiguration)
    }
    let dialect = try ImgproxyDialect.with { $0.separator = ",," }
    #expect(try dialect.options("size,,100,,100,,1").width == 100)
    #expect(dialect.fault("w:1") == .invalidSource)
  }
}
