import CalotypeURLs
import Testing

@Suite("Sources in URLs")
struct SourceTests {
  @Test(arguments: [
    ("plain/http://a/b.jpg@png", "http://a/b.jpg", RequestedFormat.png),
    ("plain/http://a/b@", "http://a/b", nil),
    ("plain/http:%2F%2Fa%2Fb%3Fc=d%40@webp", "http://a/b?c=d@", .webp), ("plain/a//b", "a//b", nil),
    ("plain/plain/b", "plain/b", nil),
    ("plain/h%C3%A9", "hé", nil), ("plain/hé", "hé", nil), ("plain/a+b", "a+b", nil),
    ("plain/w:1", "w:1", nil),
    ("aHR0cDovL2EvYg", "http://a/b", nil), ("aHR0cDovL2EvYg==.png", "http://a/b", .png),
    ("aHR0/cDov/L2EvYg.jpg", "http://a/b", .jpeg),
    ("aHR0cDovL2EvYg.", "http://a/b", nil), ("aHR0cDovL2EvYh", "http://a/b", nil), ("ZmlsbA", "fill", nil),
  ])
  func isRead(_ path: String, _ source: String, _ format: RequestedFormat?) throws {
    let request = try ImgproxyDialect().parse(path: "/" + path)
    #expect(request.source == source && request.options.format == format)
    #expect(request.sourceForm == (path.hasPrefix("plain") ? .plain : .base64))
  }

  @Test(arguments: [
    ("plain/http://a/b@png@jpg", ImageURLError.Fault.severalFormats), ("plain/", .emptySource),
    ("plain/@png", .emptySource),
    ("plain/http://a/%zz", .invalidSource), ("plain/http://a/%4", .invalidSource),
    ("plain/http://a/b%00.jpg", .invalidSource),
    ("plain/http://a/b%0D%0Ac", .invalidSource), ("plain/http://a/b@tif", .unknownFormat),
    ("plain/%C0%AF", .invalidSource),
    ("w/plain/http://a/b", .invalidSource), ("w:100/h:200", .emptySource), ("plain", .invalidSource),
    ("w:1/", .emptySource),
    (".png", .emptySource), ("aHR0.png.jpg", .severalFormats), ("aHR0!", .invalidSource),
    ("a", .invalidSource), ("=", .emptySource),
    ("aGkA", .invalidSource), ("_w", .invalidSource), ("aH+0", .invalidSource), ("", .incompletePath),
    ("/", .incompletePath),
    ("fill/300/200/sm/0/plain/http://a/b", .obsoleteForm), ("fit/aHR0", .obsoleteForm),
    ("enc/aHR0cDovL2EvYg", .undecryptableSource),
  ])
  func isRefused(_ path: String, _ expected: ImageURLError.Fault) throws {
    #expect(try ImgproxyDialect().fault(path: path) == expected)
  }

  @Test func rawSourcesHaveNoExtension() throws {
    let request = try ImgproxyDialect().parse(path: "raw:1/plain/http://a/b@nonsense")
    #expect(request.options.format == nil && request.options.raw == true)
    var options = ProcessingOptions()
    options.raw = true
    options.format = .png
    #expect(try ImgproxyDialect().path(for: "http://a/b", options) == "/f:png/raw:1/aHR0cDovL2EvYg")
  }

  @Test(arguments: [
    ("http://a/b:/c", "http://a/b%3A/c"), ("foo:/bar", "foo%3A/bar"), ("foo:/", "foo%3A/"), ("/a", "%2Fa"),
    ("a?b@c%d#e", "a%3Fb%40c%25d%23e"),
    ("local:///a b", "local:///a%20b"), ("http://ü/", "http://%C3%BC/"), ("a:b", "a:b"), ("x:///", "x:///"),
    ("plain/b", "plain/b"),
  ])
  func isPercentEncodedWhereNeeded(_ source: String, _ expected: String) throws {
    let dialect = try ImgproxyDialect()
    #expect(try dialect.path(for: source, encoding: .plain) == "/plain/" + expected)
    #expect(try dialect.parse(dialect.url(for: source, encoding: .plain)).source == source)
  }

  @Test func encodedTextNeverMeansSomethingElse() throws {
    let cipher = try SourceCipher(key: Array(0..<16))
    for includesFilename in [false, true] {
      let dialect = try ImgproxyDialect.with {
        $0.base64IncludesFilename = includesFilename
        $0.cipher = cipher
      }
      // Those of UTF-8 whose base64 begins with enc, fit or fill.
      for text in ["enc", "enchYWJj", "fitYYWJj", "fill", "fillYWJj"] {
        let source = try #require(decode(text).flatMap { String(validating: $0, as: UTF8.self) })
        #expect(try ImgproxyDialect().path(for: source).filter { $0 != "/" }.hasPrefix(text))
        for length in [nil, 1, 2, 3, 4, 5, 9, 16, 1000, 0, -1] {
          for format in [nil, RequestedFormat.png] {
            for name in includesFilename ? [nil, "a b.jpg"] : [nil] {
              var options = ProcessingOptions()
              options.format = format
              for encoding: ImgproxyDialect.SourceEncoding in [
                .base64(splitEvery: length), .encrypted(splitEvery: length),
              ] {
                let url = try dialect.url(for: source, options, encoding: encoding, filename: name)
                let request = try dialect.parse(url)
                #expect(request.source == source && request.options == options, "\(url)")
              }
            }
          }
        }
      }
    }
  }

  private func decode(_ text: String) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let bits = text.utf8.flatMap { byte -> [Int] in
      let value = alphabet.firstIndex(of: byte) ?? 0
      return (0..<6).map { value >> (5 - $0) & 1 }
    }
    return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
      UInt8(bits[start..<start + 8].reduce(0) { $0 * 2 + $1 })
    }
  }

  @Test func fileNamesAreNotRead() throws {
    let dialect = try ImgproxyDialect.with { $0.base64IncludesFilename = true }
    #expect(try dialect.parse(path: "aHR0cDovL2EvYg.png/puppy.jpg").source == "http://a/b")
    #expect(try dialect.parse(path: "aHR0cDovL2EvYg").source == "http://a/b")
    #expect(fault { _ = try ImgproxyDialect().path(for: "a", filename: "b") } == .unwritable)
    #expect(fault { _ = try dialect.path(for: "a", encoding: .plain, filename: "b") } == .unwritable)
  }

  @Test(arguments: ["", "a\u{0}", "a\nb", "\u{7F}"]) func isNotWritten(_ source: String) throws {
    let found = fault { _ = try ImgproxyDialect().url(for: source) }
    #expect(found == (source.isEmpty ? .emptySource : .invalidSource))
  }

  @Test(arguments: [
    (
      "test://*/=test2://images.dev/${1}/dolor/;test2://=http://", "test://lorem/ipsum.jpg",
      "http://images.dev/lorem/dolor/ipsum.jpg"
    ),
    ("mys3://=s3://my_bucket/images/", "mys3://image01.jpg", "s3://my_bucket/images/image01.jpg"),
    (
      "mys3://*/=s3://my_bucket/${1}/images", "mys3://items/image01.jpg",
      "s3://my_bucket/items/imagesimage01.jpg"
    ),
    ("a*c=<$1>", "abbcbcd/c", "<bbcb>d/c"), ("a*b*=$2-$1", "axbyb/z", "-xby/z"),
    ("a*b*c=[$2$1]", "a1b2b3c4", "[31b2]4"),
    ("*=$0$0", "ab/c", "abab/c"), ("x=y", "ax", "ax"), ("a=$$1", "ab", "$1b"), ("a=$", "ab", "$b"),
    ("a*=${1", "abc", "${1"),
    ("a*=$1x", "abc", ""), ("a*=${1}x", "abc", "bcx"), ("a*=$9", "abc", ""), ("a=b=c", "a1", "b=c1"),
    ("a.b=x", "acb", "acb"), ("=p/", "q", "p/q"),
    ("***=$1|$2|$3", "ab/", "ab||/"),
  ])
  func beginningsAreReplaced(_ rules: String, _ source: String, _ expected: String) throws {
    let dialect = try ImgproxyDialect.with { $0.replacements = try SourceReplacement.list(rules) }
    if expected.isEmpty {
      #expect(fault { _ = try dialect.parse(path: ImgproxyDialect().path(for: source)) } == .emptySource)
    } else {
      #expect(try dialect.parse(path: ImgproxyDialect().path(for: source)).source == expected)
    }
  }

  @Test func replacementsTakeBoundedTime() throws {
    let pattern = String(repeating: "*a", count: 60) + "b"
    let dialect = try ImgproxyDialect.with {
      $0.replacements = [SourceReplacement(pattern: pattern, replacement: "x")]
    }
    let source = String(repeating: "a", count: 4000)
    let clock = ContinuousClock()
    let time = try clock.measure {
      let request = try dialect.parse(path: "plain/" + source)
      #expect(request.source == source)
    }
    #expect(time < .seconds(20))
    #expect(fault { _ = try SourceReplacement.list("a") } == .invalidConfiguration)
  }

  @Test func theBaseURLPrecedesOtherSources() throws {
    let dialect = try ImgproxyDialect.with { $0.baseURL = "http://example.com/images" }
    #expect(
      try dialect.parse(path: "plain//path/to/image.png").source
        == "http://example.com/images/path/to/image.png")
    #expect(
      try dialect.parse(path: "plain/http://example.com/images/a").source == "http://example.com/images/a")
  }
}
