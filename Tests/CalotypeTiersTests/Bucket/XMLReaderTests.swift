import Testing

@testable import CalotypeTiers

/// Documents of S3, and hostile ones.
@Suite("Documents of buckets")
struct XMLReaderTests {
  private static func events(_ text: String) throws -> [XMLReader.Event] {
    var reader = try XMLReader(Array(text.utf8))
    var events: [XMLReader.Event] = []
    while let event = try reader.next() { events.append(event) }
    return events
  }

  @Test func readsElementsAndText() throws {
    let text =
      "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- a --><s:A x='1' y=\"2\"><B/>a&amp;&#65;&#x42;<![CDATA[<c>]]></s:A>\n"
    #expect(
      try Self.events(text) == [
        .start("A"), .start("B"), .end("B"), .text("a&AB"), .text("<c>"), .end("A"),
      ])
  }

  @Test(arguments: [
    "", "<a>", "<a></b>", "<a/><b/>", "text<a/>", "<a>&unknown;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
    "<a>&lt</a>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "<a b></a>", "<a b=c></a>", "<a b='<'></a>", "<a><![CDATA[",
    "<a><!-- </a>",
    "<a>\u{1}", "<>", "< a/>", "</a>", "<a/", "<a/b>", "<?xml", "<a>&#+65;</a>", "<a></a x>",
  ])
  func refuses(_ text: String) {
    #expect(throws: XMLReader.Malformed.self) { try Self.events(text) }
  }

  @Test func boundsDepthNamesAndText() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(try Self.events(nested(XMLReader.maxDepth)).count == 2 * XMLReader.maxDepth)
    #expect(throws: XMLReader.Malformed.self) { try Self.events(nested(XMLReader.maxDepth + 1)) }
    let name = String(repeating: "n", count: XMLReader.maxNameLength)
    #expect(try Self.events("<\(name)/>").count == 2)
    #expect(throws: XMLReader.Malformed.self) { try Self.events("<\(name)n/>") }
    let text = String(repeating: "t", count: XMLReader.maxTextLength)
    #expect(try Self.events("<a>\(text)</a>").count == 3)
    #expect(throws: XMLReader.Malformed.self) { try Self.events("<a>\(text)t</a>") }
    #expect(throws: XMLReader.Malformed.self) {
      _ = try XMLReader([UInt8](repeating: 32, count: XMLReader.maxLength + 1))
    }
    // Not UTF-8.
    var reader = try XMLReader(Array("<a>".utf8) + [0xFF] + Array("</a>".utf8))
    _ = try reader.next()
    #expect(throws: XMLReader.Malformed.self) { try reader.next() }
  }

  private static func listing(_ contents: String, truncated: Bool = false) -> [UInt8] {
    Array("<ListBucketResult><IsTruncated>\(truncated)</IsTruncated>\(contents)</ListBucketResult>".utf8)
  }

  private static func object(_ key: String, size: String = "1") -> String {
    "<Contents><Key>\(key)</Key><Size>\(size)</Size><Owner><ID>x</ID></Owner></Contents>"
  }

  @Test func readsListings() throws {
    let page = try BucketListing(
      Self.listing(Self.object("p/a") + Self.object("p/b", size: "77"), truncated: true), prefix: "p/",
      after: "p/")
    #expect(page.isTruncated)
    #expect(page.objects == [.init(key: "p/a", size: 1), .init(key: "p/b", size: 77)])
    #expect(try BucketListing(Self.listing(""), prefix: "p/", after: nil).objects.isEmpty)
  }

  @Test(arguments: [
    object("q/a"), object("p/b") + object("p/a"), object("p/a") + object("p/a"), object("p/a", size: "-1"),
    object("p/a", size: "many"), object(""), object("p/0"), "<Contents/>",
  ])
  func refusesListings(_ contents: String) {
    #expect(throws: XMLReader.Malformed.self) {
      try BucketListing(Self.listing(contents), prefix: "p/", after: "p/5")
    }
  }

  @Test func refusesEndlessListings() {
    #expect(throws: XMLReader.Malformed.self) {
      try BucketListing(Self.listing("", truncated: true), prefix: "", after: nil)
    }
    let many = (0...BucketListing.maxCount).map { Self.object("k\(100_000 + $0)") }.joined()
    #expect(throws: XMLReader.Malformed.self) {
      try BucketListing(Self.listing(many), prefix: "", after: nil)
    }
  }

  @Test func errorsShowNothingButCodeAndMessage() {
    let text =
      "<Error><Code>Slow<!-- -->Down</Code><Message>a\u{7}b &lt;</Message><AWSAccessKeyId>AKID</AWSAccessKeyId></Error>"
    let document = ErrorDocument(Array(text.utf8))
    #expect(document.code == "Slow")
    #expect(document.message == "ab <")
    let token = "<Error><Code>x</Code><Message>no: FwoGZXIvYXdzEBYaDKEXAMPLE, sorry</Message></Error>"
    #expect(ErrorDocument(Array(token.utf8)).message == "no: … sorry")
    let long = "<Error><Code>\(String(repeating: "c", count: 999))</Code></Error>"
    #expect(ErrorDocument(Array(long.utf8)).code.count == 64)
    // A letter with accents is one character, and four code points.
    let accented = String(repeating: "e\u{301}\u{302}\u{303} ", count: 400)
    let cut = ErrorDocument(Array("<Error><Message>\(accented)</Message></Error>".utf8))
    #expect(cut.message.unicodeScalars.count == 200)
    for other in ["", "<html><Code>x</Code></html>", "plain"] {
      #expect(ErrorDocument(Array(other.utf8)).code == "")
    }
  }
}
