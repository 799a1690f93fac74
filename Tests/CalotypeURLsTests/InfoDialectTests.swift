import CalotypeURLs
import Testing

@Suite("URLs of /info")
struct InfoDialectTests {
  private static func dialect(
    _ change: (inout ImgproxyDialect.Configuration) throws -> Void = { _ in }
  ) throws -> InfoDialect {
    var configuration = ImgproxyDialect.Configuration()
    configuration.allowedOptionsCoverSynonyms = true
    try change(&configuration)
    return try InfoDialect(configuration)
  }

  private func fault(_ dialect: InfoDialect, _ options: String, at now: Int64? = nil) -> ImageURLError.Fault?
  {
    do throws(ImageURLError) {
      _ = try dialect.parse("/info/unsafe/\(options)/plain/https://a.example/b.jpg", at: now)
      return nil
    } catch {
      return error.fault
    }
  }

  @Test func optionsAreRead() throws {
    let dialect = try Self.dialect()
    let none = try dialect.parse("/info/unsafe/plain/https://a.example/b%20c.jpg@png")
    #expect(none.options == InfoOptions() && none.source == "https://a.example/b c.jpg")
    #expect(!none.options.needsPixels && !none.options.needsAllBytes)
    let text =
      "s:0/f:0/d:f/exif:1:1/iptc:0/xmp:false/vm:1/cs:1/b:t/sf:1/pn:1/a:1:1/c:200:0.5:fp:0.2:0.3/p:16/avg:1:0/"
      + "dc:1:1/bh:4:3/th:1/phash:1/chs:md5:sha512:md5/pg:2/cb:x/ct:a:b/exp:9999999999"
    let options = try dialect.parse("/info/unsafe/\(text)/plain/local:///a.jpg").options
    var expected = InfoOptions()
    (expected.size, expected.format, expected.dimensions) = (false, false, false)
    (expected.hasCanonicalNames, expected.iptc, expected.xmp) = (true, false, false)
    (expected.colorspace, expected.bands, expected.sampleFormat) = (true, true, true)
    (expected.pagesNumber, expected.alpha, expected.checksAlpha) = (true, true, true)
    expected.crop = InfoOptions.Crop(width: 200, height: 0.5, gravity: .focusPoint(x: 0.2, y: 0.3))
    (expected.paletteColors, expected.average, expected.ignoresTransparent) = (16, true, false)
    (expected.dominantColors, expected.buildsMissing) = (true, true)
    expected.blurHash = InfoOptions.BlurHash(x: 4, y: 3)
    (expected.thumbHash, expected.perceptualHash) = (true, true)
    expected.hashsums = [.md5, .sha512]
    (expected.page, expected.cachebuster, expected.cacheTags) = (2, "x", ["a", "b"])
    expected.expires = 9_999_999_999
    #expect(options == expected)
    #expect(options.needsPixels && options.needsAllBytes)
  }

  @Test func writtenOptionsAreReadAsTheSame() throws {
    let dialect = try Self.dialect { $0.allowsSecurityOptions = true }
    var options = InfoOptions()
    options.size = false
    options.ignoresTransparent = false
    options.crop = InfoOptions.Crop(width: 0.25, height: 100, gravity: .smart)
    options.hashsums = [.sha256]
    options.paletteColors = 2
    options.maxSourceFileSize = 100
    options.hashsum = .init(.md5, hex: "0123456789abcdef0123456789abcdef")
    for encoding in [ImgproxyDialect.SourceEncoding.plain, .base64] {
      let url = try dialect.url(for: "https://a.example/b?c=d", options, encoding: encoding)
      #expect(url.hasPrefix("/info/"))
      let request = try dialect.parse(url)
      #expect(request.options == options && request.source == "https://a.example/b?c=d")
    }
  }

  @Test func signaturesAreOfThePathBehindInfo() throws {
    let signature = try URLSignature(hexKeys: "6b6579", hexSalts: "73616c74")
    let dialect = try Self.dialect {
      $0.signature = signature
      $0.pathPrefix = "/images/"
    }
    let path = try dialect.path(for: "local:///a.jpg", encoding: .plain)
    #expect(path == "/plain/local:%2F//a.jpg" || path.hasPrefix("/plain/local:"))
    let url = try dialect.url(for: "local:///a.jpg", encoding: .plain)
    #expect(url == "/images/info/" + signature.sign(path, at: nil) + path)
    #expect(try dialect.parse(url).source == "local:///a.jpg")
    #expect(throws: ImageURLError.self) { try dialect.parse("/images/info/unsafe" + path) }
    #expect(throws: ImageURLError.self) { try dialect.parse(url.replacing("/images", with: "")) }
  }

  @Test func wrongOptionsAreRefused() throws {
    let dialect = try Self.dialect()
    for (options, expected) in [
      ("w:100", .unknownOption), ("rs:fit:1:1", .unknownOption), ("do:1", .unsupportedOption),
      ("classify:1", .unsupportedOption), ("p:1", .invalidArgument), ("p:257", .invalidArgument),
      ("bh:10:3", .invalidArgument), ("c:-1:2", .invalidArgument), ("c:NaN:2", .invalidArgument),
      ("c:1:2:re", .invalidArgument), ("chs:crc", .invalidArgument), ("size:1:1", .argumentCount),
      ("msr:1", .securityOption), ("bc:1", .cacheBypass), ("pr:none", .unknownPreset),
    ] as [(String, ImageURLError.Fault)] {
      #expect(fault(dialect, options) == expected, "\(options)")
    }
    #expect(fault(dialect, "exp:10", at: 11) == .expired && fault(dialect, "exp:10", at: 9) == nil)
    #expect(fault(dialect, "bh:0:0") == nil && fault(dialect, "c:0:0") == nil && fault(dialect, "p:0") == nil)
    #expect(fault(dialect, Array(repeating: "s:1", count: 65).joined(separator: "/")) == .tooManyOptions)
  }

  @Test func presetsAndAllowedOptionsAreItsOwn() throws {
    let dialect = try Self.dialect {
      $0.presets = try PresetTable(["default=exif:0", "colors=avg:1/dc:1", "more=pr:colors/p:4"])
      $0.allowedOptions = ["preset", "average"]
    }
    let options = try dialect.parse("/info/unsafe/pr:more/avg:0/plain/a").options
    #expect(!options.exif && options.dominantColors && options.paletteColors == 4 && !options.average)
    #expect(fault(dialect, "avg:1") == nil && fault(dialect, "dc:1") == .forbiddenOption)
    let only = try Self.dialect {
      $0.presets = try PresetTable(["colors=avg:1"])
      $0.onlyPresets = true
    }
    #expect(try only.parse("/info/unsafe/colors/plain/a").options.average)
    #expect(fault(only, "avg:1") == .unknownPreset)
    #expect(throws: ImageURLError.self) {
      try Self.dialect { $0.presets = try PresetTable(["wrong=w:100"]) }
    }
  }

  @Test func optionsAreDescribedForForms() throws {
    var configuration = ImgproxyDialect.Configuration()
    let all = try ImgproxyDialect(configuration).optionDescriptions
    func kind(_ name: String) -> OptionDescription.Kind? { all.first { $0.names[0] == name }?.kind }
    #expect(kind("quality") == .integer(0...100) && kind("enlarge") == .flag && kind("dpr") == .real)
    #expect(kind("resizing_type") == .choice(["fit", "fill", "fill-down", "force", "auto"]))
    #expect(kind("style") == .base64 && kind("crop") == .arguments)
    #expect(kind("max_src_resolution") == nil && kind("bypass_cache") == nil)
    configuration.allowsSecurityOptions = true
    #expect(try ImgproxyDialect(configuration).optionDescriptions.count == all.count + 5)
    configuration.edition = .openSource
    #expect(try ImgproxyDialect(configuration).optionDescriptions.allSatisfy { !$0.isPro })
    configuration.allowedOptions = ["w"]
    #expect(try ImgproxyDialect(configuration).optionDescriptions.map(\.names) == [["width", "w"]])
    configuration.onlyPresets = true
    #expect(try ImgproxyDialect(configuration).optionDescriptions.isEmpty)
  }
}
