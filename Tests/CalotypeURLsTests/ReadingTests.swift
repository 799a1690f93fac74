import Testing

@testable import CalotypeURLs

@Suite("Readings")
struct ReadingTests {
  private static func dialect(_ change: (inout ImgproxyDialect.Configuration) throws -> Void = { _ in })
    throws
    -> ImgproxyDialect
  {
    var configuration = ImgproxyDialect.Configuration()
    try change(&configuration)
    return try ImgproxyDialect(configuration)
  }

  @Test func eachOptionHasAMeaning() {
    for (name, entry) in OptionTable.entries {
      if case .unsupported = entry { continue }
      #expect(!OptionTable.meaning(of: name).isEmpty, "\(name)")
    }
    for name in OptionTable.meanings.keys { #expect(OptionTable.entries[name] != nil, "\(name)") }
  }

  @Test func optionsInOrder() throws {
    let dialect = try Self.dialect { $0.presets = try PresetTable(["default=q:70", "small=w:10/-/bl:2"]) }
    let reading = ImageURLReading("/unsafe/h:20/pr:small/el:yes/plain/http://a/b.jpg@webp", dialect)
    #expect(reading.fault == nil && reading.signature == .unchecked)
    #expect(reading.options.map(\.name) == ["quality", "height", "preset", "width", "blur", "enlarge"])
    #expect(reading.options.map(\.preset) == ["default", nil, nil, "small", "small", nil])
    #expect(reading.options.map(\.pipeline) == [0, 0, 0, 0, 1, 0])
    #expect(reading.source == "http://a/b.jpg" && reading.format == .webp && reading.sourceForm == .plain)
    #expect(reading.notices.map(\.kind) == [.notBoolean])
    // The same as the parser of the server.
    #expect(
      reading.processing
        == (try dialect.parse("/unsafe/h:20/pr:small/el:yes/plain/http://a/b.jpg@webp")).options)
  }

  @Test func asMuchAsCanBeRead() throws {
    let reading = ImageURLReading("/unsafe/w:10/h:-1/q:80/plain/http://a/b.jpg", try Self.dialect())
    #expect(reading.fault?.fault == .invalidArgument && reading.source == nil)
    #expect(reading.options.map(\.name) == ["width", "height"])
    #expect(ImageURLReading("", try Self.dialect()).fault?.fault == .incompletePath)
    #expect(ImageURLReading("https://host", try Self.dialect()).fault?.fault == .incompletePath)
  }

  @Test func signatures() throws {
    let dialect = try Self.dialect {
      $0.signature = try URLSignature(hexKeys: "aa,bb", hexSalts: "cc,dd", trusted: ["open"])
      $0.pathPrefix = "/img"
    }
    let url = try dialect.signed(path: "/w:10/plain/http:/a/b.jpg")
    #expect(url.hasPrefix("/img/") && url.hasSuffix("/w:10/plain/http://a/b.jpg"))
    let reading = ImageURLReading("https://host" + url, dialect)
    #expect(reading.fault == nil && reading.signature == .valid && reading.keyID == "1")
    #expect(reading.path == "/w:10/plain/http://a/b.jpg")
    #expect(ImageURLReading("/img/open/plain/http://a/b.jpg", dialect).signature == .trusted)
    let wrong = ImageURLReading("/img/AAAA/w:10/plain/http://a/b.jpg", dialect)
    #expect(wrong.signature == .invalid && wrong.fault?.fault == .invalidSignature)
    // All of it is read nevertheless.
    #expect(wrong.source == "http://a/b.jpg" && wrong.options.count == 1)
  }

  @Test(arguments: ["w:10/plain/a", "", "/", "/w:x/plain/a", "/w:10", "/exp:1/plain/a"])
  func pathsWithoutASignature(_ path: String) throws {
    let dialect = try Self.dialect { $0.signature = try URLSignature(hexKeys: "aa", hexSalts: "bb") }
    #expect(SignedPath(path, dialect, at: 100).url == nil)
    #expect(SignedPath(path, dialect, at: 100).error != nil)
  }

  /// Built URLs are those that are signed as written.
  @Test func signedAsBuilt() throws {
    let dialect = try Self.dialect { $0.signature = try URLSignature(hexKeys: "aa", hexSalts: "bb") }
    var options = ProcessingOptions()
    options.width = 30
    for encoding in [ImgproxyDialect.SourceEncoding.plain, .base64] {
      let url = try dialect.url(for: "http://a/ä b.jpg", options, encoding: encoding)
      let path = try dialect.path(for: "http://a/ä b.jpg", options, encoding: encoding)
      #expect(try dialect.signed(path: path) == url)
    }
  }

  @Test func linesDoNotReachTerminals() throws {
    let lines = ImageURLReading("/unsafe/fn:%1B/plain/http://a/\u{202E}\u{9B}b", try Self.dialect()).lines
    #expect(lines.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
  }
}
