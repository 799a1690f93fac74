import CalotypeURLs
import Testing

@Suite("URLs of any values")
struct PropertyTests {
  @Test func areReadAsTheSameValues() throws {
    let key = try URLSignature(key: [1, 2, 3], salt: [4, 5])
    let cipher = try SourceCipher(key: Array(0..<24))
    for separator in [":", ",", "*|"] {
      let dialect = try ImgproxyDialect.with {
        $0.separator = separator
        $0.allowsSecurityOptions = true
        $0.allowsBypassingCache = true
        $0.signature = key
        $0.cipher = cipher
        $0.pathPrefix = separator == "," ? "/p" : ""
        $0.limits.bytes = 1 << 16
        $0.limits.options = 1 << 10
      }
      for seed in 0..<4000 as Range<UInt64> {
        var random = RandomOptions(seed)
        var options = random.options()
        // It has such a character.
        if separator != ":", options.cachebuster?.contains("*") == true { options.cachebuster = nil }
        let source = random.source()
        let encoding: ImgproxyDialect.SourceEncoding = random.pick([
          .plain, .base64, .base64(splitEvery: random.integer(1...20)), .encrypted(),
          .encrypted(.random, splitEvery: random.integer(1...20)),
        ])
        let url = try dialect.url(for: source, options, encoding: encoding)
        let request = try dialect.parse(url)
        guard request.options == options, request.source == source, request.notices.isEmpty else {
          Issue.record("seed \(seed): \(url)\n\(options)\n\(request)")
          return
        }
        if case .encrypted(.random, _) = encoding { continue }
        #expect(try dialect.url(for: request.source, request.options, encoding: encoding) == url)
      }
    }
  }

  @Test func doNotDependOnTheOrderOfOptions() throws {
    let dialect = try ImgproxyDialect.permissive()
    for seed in 0..<1000 as Range<UInt64> {
      var random = RandomOptions(seed)
      let options = ProcessingOptions(stages: [random.stage()])
      let path = try dialect.path(for: "http://a/b", options)
      var segments = path.split(separator: "/").map(String.init)
      let source = segments.removeLast()
      segments.shuffle(using: &random.random)
      #expect(try dialect.parse(path: (segments + [source]).joined(separator: "/")).options == options)
    }
  }

  @Test func areTheSameAfterNormalization() throws {
    let dialect = try ImgproxyDialect.with {
      $0.allowsSecurityOptions = true
      $0.allowsBypassingCache = true
      $0.limits.bytes = 1 << 16
      $0.limits.options = 1 << 10
    }
    for seed in 0..<2000 as Range<UInt64> {
      var random = RandomOptions(seed)
      let normalized = random.options().normalized()
      #expect(normalized.normalized() == normalized)
      #expect(try dialect.parse(dialect.url(for: "a", normalized)).options == normalized)
    }
  }

  @Test func valuesThatNoURLSaysAreRefused() throws {
    let dialect = try ImgproxyDialect.permissive()
    func refused(_ change: (inout ProcessingOptions) -> Void) -> Bool {
      var options = ProcessingOptions()
      change(&options)
      return fault { _ = try dialect.url(for: "http://a/b", options) } == .unwritable
    }
    #expect(refused { $0.width = -1 })
    #expect(refused { $0.height = 1 << 31 })
    #expect(refused { $0.dpr = 0 })
    #expect(refused { $0.blur = .nan })
    #expect(refused { $0.zoom = .init(x: .infinity, y: 1) })
    #expect(refused { $0.rotation = 45 })
    #expect(refused { $0.gravity = Gravity(.smart, x: 1) })
    #expect(refused { $0.gravity = .focusPoint(x: 2, y: 0) })
    #expect(refused { $0.gravity = Gravity(.focusPoint) })
    #expect(refused { $0.gravity = Gravity(.objects([""])) })
    #expect(refused { $0.gravity = Gravity(.objects(["a:b"])) })
    #expect(refused { $0.extend = .init(true, gravity: .smart) })
    #expect(refused { $0.extend = .init(true, gravity: Gravity(.objects([]))) })
    #expect(refused { $0.cachebuster = "a:b" })
    #expect(refused { $0.cachebuster = "a/b" })
    #expect(refused { $0.cachebuster = "a%3Ab" })
    #expect(refused { $0.cachebuster = "a b" })
    #expect(refused { $0.cachebuster = "é" })
    #expect(refused { $0.cacheTags = ["a", "a"] })
    #expect(refused { $0.cacheTags = [""] })
    #expect(refused { $0.filename = "a\r\nb" })
    #expect(refused { $0.colorProfile = "../a" })
    #expect(refused { $0.hashsum = .init(.md5, hex: "00") })
    #expect(refused { $0.formatQuality = [.best: 1] })
    #expect(refused { $0.skipProcessing = [.best] })
    #expect(refused { $0.quality = 101 })
    #expect(refused { $0.watermarkText = "\u{0}" })
  }

  /// URLs that are read can be written, and are read as the same values; all others are refused with an error.
  @Test func hostileTextIsReadOrRefused() throws {
    let dialect = try ImgproxyDialect.with {
      $0.allowsSecurityOptions = true
      $0.allowsBypassingCache = true
      $0.cipher = try SourceCipher(key: Array(0..<16))
      $0.presets = try PresetTable(["a=w:1/pr:b", "b=h:2/-/q:1"])
    }
    let pieces =
      OptionTests.written.map(\.0) + OptionTests.refused.map(\.0) + [
        "-", "plain", "enc", "%3A", "%00", "%", "//", "plain/http:/a", "aHR0cDovL2EvYg", ".png", "@png",
        "pr:a", "w:\u{0}", "\u{FF}", "?", "#",
        "w:99999999999999999999999999999", "dpr:1e308", "g:no:-1e308:1e-308",
        "ba:1" + String(repeating: ":0.5", count: 400), "٣", "e\u{301}", "/\u{301}",
        String(repeating: ":", count: 300), "skp" + String(repeating: ":png", count: 300), "w:1:\u{202E}",
      ]
    var random = RandomOptions(42)
    var accepted = 0
    for _ in 0..<30_000 {
      var target = "/s"
      for _ in 0..<random.integer(0...6) {
        target += random.flag() ? "/" + random.pick(pieces) : "/" + random.pick(OptionTests.written).0
      }
      target += random.pick(["/plain/http://a/b", "/aHR0cDovL2EvYg.png", "", "/plain/h%C3%A9@jpg"])
      var bytes = Array(target.utf8)
      for _ in 0..<random.integer(0...2) where random.integer(0...3) == 0 {
        bytes[random.integer(0...bytes.count - 1)] = UInt8(random.integer(0...255))
      }
      do throws(ImageURLError) {
        let request = try dialect.parse(bytes)
        accepted += 1
        let again = try dialect.parse(dialect.url(for: request.source, request.options))
        if again.options != request.options || again.source != request.source {
          Issue.record("\(String(decoding: bytes, as: UTF8.self)) is written as something else")
        }
      } catch {
        #expect(error.fault != .unwritable, "\(String(decoding: bytes, as: UTF8.self)): \(error)")
        #expect(!error.description.isEmpty && error.place.map { $0.text.utf8.count <= 80 } != false)
      }
    }
    #expect(accepted > 3000)
  }

  @Test func randomBytesAreRefusedOrRead() throws {
    let dialect = try ImgproxyDialect()
    var random = Seeded(7)
    for length in 0..<3000 {
      let bytes = (0..<length % 300).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = try? dialect.parse(bytes)
      _ = try? dialect.parse(Array("/s/".utf8) + bytes.map { $0 & 0x7F | 0x21 })
    }
  }
}
