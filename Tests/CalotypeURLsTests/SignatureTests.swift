import CalotypeURLs
import Testing

@Suite("Signatures of URLs")
struct SignatureTests {
  static let text = "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20"

  static func signature(
    _ names: [String] = ["test"], size: Int = 32, trusted: [String] = []
  ) throws -> URLSignature {
    try URLSignature(
      keys: names.map {
        try .init(id: $0, key: Array("\($0)-key".utf8), salt: Array("\($0)-salt".utf8))
      }, size: size, trusted: trusted)
  }

  @Test(arguments: [
    (32, text), (31, "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3aw"), (5, "oWaL7Qo"), (1, "oQ"),
  ])
  func isTheKnownOne(_ size: Int, _ text: String) throws {
    let signature = try Self.signature(size: size)
    #expect(signature.sign("/asd") == text)
    // The slash in front belongs to it, whether or not it is given.
    #expect(signature.sign("asd") == text)
    #expect(try signature.verify(text, of: "asd") == .signed(id: "test"))
  }

  @Test func everyOtherTextIsRefused() throws {
    let signature = try Self.signature()
    for text in [
      "", "unsafe", Self.text + "=", Self.text + "A", String(Self.text.dropLast()), Self.text.lowercased(),
      "dtLwhdnPPis",
      Self.text.replacing("-", with: "+"), "\u{0}", "é",
    ] {
      #expect(fault { _ = try signature.verify(text, of: "asd") } == .invalidSignature, "\(text)")
    }
    for path in ["", "as", "asd/", "/asd?", "asd ", "//asd"] {
      #expect(fault { _ = try signature.verify(Self.text, of: path) } == .invalidSignature, "\(path)")
    }
    #expect(ImageURLError(.invalidSignature, "", remedy: "").status == 403)
  }

  @Test func theTailIsNotMalleableUnlessAllowed() throws {
    var signature = try Self.signature()
    let others = ["1", "2", "3"].map { String(Self.text.dropLast()) + $0 }
    for other in others { #expect(fault { _ = try signature.verify(other, of: "asd") } == .invalidSignature) }
    signature.allowsMalleableTail = true
    for other in others { #expect(try signature.verify(other, of: "asd") == .signed(id: "test")) }
    #expect(
      fault { _ = try signature.verify(String(Self.text.dropLast()) + "4", of: "asd") } == .invalidSignature)
  }

  @Test func allKeysOfTheRingVerify() throws {
    let ring = try Self.signature(["new", "test"])
    #expect(try ring.verify(Self.text, of: "asd") == .signed(id: "test"))
    #expect(try ring.verify(ring.sign("asd"), of: "asd") == .signed(id: "new"))
    #expect(ring.sign("asd") != Self.text)
  }

  @Test func keysExpire() throws {
    let old = try URLSignature.Key(
      id: "old", key: Array("test-key".utf8), salt: Array("test-salt".utf8), validUntil: 100)
    let new = try URLSignature.Key(id: "new", key: [1], salt: [2])
    let ring = try URLSignature(keys: [old, new])
    #expect(try ring.verify(Self.text, of: "asd", at: 100) == .signed(id: "old"))
    #expect(try ring.verify(Self.text, of: "asd") == .signed(id: "old"))
    #expect(fault { _ = try ring.verify(Self.text, of: "asd", at: 101) } == .invalidSignature)
    #expect(try ring.verify(ring.sign("asd", at: 101), of: "asd", at: 101) == .signed(id: "new"))
    // Never unsigned because a key has expired.
    #expect(try URLSignature(keys: [old]).sign("asd", at: 101) == Self.text)
  }

  @Test func trustedTextsStandForSignatures() throws {
    let signature = try Self.signature(trusted: ["truested", "unsafe"])
    #expect(try signature.verify("truested", of: "any") == .trusted)
    #expect(try signature.verify("unsafe", of: "any") == .trusted)
    #expect(fault { _ = try signature.verify("untrusted", of: "asd") } == .invalidSignature)
    #expect(try signature.verify(Self.text, of: "asd") == .signed(id: "test"))
  }

  @Test func withoutKeysNothingIsVerified() throws {
    #expect(try URLSignature.unsigned.verify("anything", of: "asd") == .unsigned)
    #expect(URLSignature.unsigned.sign("asd") == "unsafe")
    #expect(fault { _ = try URLSignature.unsigned.verify("w:100", of: "plain/a") } == .missingSignature)
  }

  @Test(arguments: [("00", ""), ("00,11", "00"), ("0", "0"), ("zz", "00"), ("00 ,x", "00,11")])
  func settingsThatDoNotFitAreRefused(_ keys: String, _ salts: String) {
    #expect(fault { _ = try URLSignature(hexKeys: keys, hexSalts: salts) } == .invalidConfiguration)
  }

  @Test func settingsAreRead() throws {
    let ring = try URLSignature(hexKeys: "736563726574, 00", hexSalts: "68656C6C6F,11")
    #expect(ring.keys.map(\.id) == ["1", "2"])
    let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    #expect(ring.sign(path) == "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8")
    #expect(try URLSignature(hexKeys: "", hexSalts: "").keys.isEmpty)
    #expect(fault { _ = try Self.signature(size: 0) } == .invalidConfiguration)
    #expect(fault { _ = try Self.signature(size: 33) } == .invalidConfiguration)
    #expect(fault { _ = try URLSignature(key: [], salt: [1]) } == .invalidConfiguration)
  }

  @Test func secretsAreNotShown() throws {
    let key = try URLSignature.Key(id: "name", key: Array("secret".utf8), salt: Array("secret".utf8))
    let cipher = try SourceCipher(key: Array("secret0123456789".utf8))
    for text in [
      "\(key)", String(reflecting: key), "\(cipher)", String(reflecting: cipher),
      "\(Mirror(reflecting: key).children.map { $0 })",
    ] {
      #expect(!text.contains("secret") && !text.contains("115, 101"), "\(text)")
    }
    #expect("\(key)".contains("name"))
  }

  @Test func repairedTargetsAreVerified() throws {
    let dialect = try ImgproxyDialect.with { $0.signature = try Self.signature() }
    let signed = "/My9d3xq_PYpVHsPrCyww0Kh1w5KZeZhIlWhsa4az1TI/"
    for path in [
      "rs:fill:4:4/plain/local:///test1.png", "rs:fill:4:4/plain/local:///test1.png?anything=1",
      "rs%3Afill%3A4%3A4/plain/local:///test1.png", "rs:fill:4:4/plain/local:/test1.png",
    ] {
      #expect(try dialect.parse(signed + path).verification == .signed(id: "test"))
    }
    #expect(
      fault { _ = try dialect.parse(signed + "rs:fill:4:5/plain/local:///test1.png") } == .invalidSignature)
    // The signature comes first: nothing is told about URLs of others.
    #expect(fault { _ = try dialect.parse("/x/unknown:1/plain/a") } == .invalidSignature)
  }

  /// The example of the documentation, whose signature was computed with Python.
  @Test func theDocumentedExampleIsRight() throws {
    let dialect = try ImgproxyDialect.with {
      $0.signature = try URLSignature(
        hexKeys: "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881",
        hexSalts: "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5")
    }
    var options = ProcessingOptions()
    options.resizingType = .fill
    options.width = 300
    options.height = 200
    options.gravity = .smart
    options.format = .webp
    let url = try dialect.url(for: "http://example.com/images/curiosity.jpg", options)
    #expect(
      url == "/AAVZMFVOs8lX4dwGX58x0MM03jrDDQ9m0kYy88lzxC8/rs:fill:300:200/g:sm/"
        + "aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn.webp")
  }

  /// URLs that the PyPI package `imgproxy` 1.0.0 wrote, with the key and the salt of imgproxy's examples.
  static let foreign: [(source: String, url: String)] = [
    (
      "http://example.com/images/curiosity.jpg",
      "/WCbQnZ2mb4DyMevIysJP1csRTvp2aQTm_Ny2tDASf0M/g:ce/rs:auto:0:0:0/aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn"
    ),
    (
      "http://example.com/images/curiosity.jpg",
      "/yJB9c-AM-9T1J2p0PDL-XjtFPrcoLbUZyipnqu8HWCk/g:ce/rs:auto:300:200:0/aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn"
    ),
    (
      "https://example.com/a b.jpg?x=1&y=/2@3",
      "/kBHMlYLmpbtw-CoV6mi8HFuwqmvT8atSoNilFnAR-p0/g:sm/rs:fill:300:400:0/aHR0cHM6Ly9leGFtcGxlLmNvbS9hIGIuanBnP3g9MSZ5PS8yQDM.webp"
    ),
    (
      "s3://bucket/ключ/図.png",
      "/2fPBpHwAZyFwkZ28vVtoqiRgyFVn_Zs6r_5nR3UAdKw/q:70/bl:1.5/g:ce/rs:fit:0:77:1/czM6Ly9idWNrZXQv0LrQu9GO0Ycv5ZuzLnBuZw.avif"
    ),
    (
      "local:///a/b/c.gif",
      "/Op6ZDoNOwFFam_a9gbFAPycfxCW95hU9L7BHIhMxrh4/dpr:2/pd:10:20/bg:ff00aa/g:nowe:10:-0.5/rs:fill:64:64:0/bG9jYWw6Ly8vYS9iL2MuZ2lm.jpg"
    ),
    (
      "http://example.com/x.png",
      "/csF3jqtd3vfpG7hDVvdtbDfgAFRx3BRvE1NXD3WkYHs/wm:0.5:soea:10:10:0.2/rot:90/exp:0/cb:v2/g:fp:0.25:0.75/rs:fill:10:10:0/aHR0cDovL2V4YW1wbGUuY29tL3gucG5n"
    ),
    (
      "http://example.com/x.png",
      "/L7umF_lXUkXcfDP0SO8vihyGcgPpgqekt4Efow6WkuM/g:ce/rs:auto:1:0:0/aHR0cDovL2V4YW1wbGUuY29tL3gucG5n"
    ),
    (
      "x",
      "/7PYl-s65rHd0JoC91iJFw9tls-2OLf25lHfC2ypq81Y/sm:1/scp:0/fq:jpeg:80:webp:70/g:ce/rs:auto:5:6:0/eA.png"
    ),
  ]

  @Test(arguments: foreign) func foreignSignersAreUnderstood(_ source: String, _ url: String) throws {
    let dialect = try ImgproxyDialect.with {
      $0.signature = try URLSignature(
        hexKeys: "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881",
        hexSalts: "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5")
    }
    let request = try dialect.parse(url)
    #expect(request.source == source && request.verification == .signed(id: "1"))
    #expect(try dialect.parse(dialect.url(for: source, request.options)).options == request.options)
    #expect(fault { _ = try dialect.parse(url + "x") } != nil)
  }
}
