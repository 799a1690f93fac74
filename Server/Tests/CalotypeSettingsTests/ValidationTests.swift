import CalotypeURLs
import Testing

@testable import CalotypeSettings

/// Settings that contradict each other are refused.
@Suite struct ValidationTests {
  static let key = RowSample.key

  @Test func keysAreNeededOrDeclined() throws {
    #expect(failure(unsigned: false).of(.missingKeys).map(\.severity) == [.error])
    #expect(failure(["CALOTYPE_IMGPROXY_DEFAULTS": "1"], unsigned: false).of(.missingKeys).count == 1)
    #expect(try load(unsigned: true).problems.of(.risk).count == 1)
    let signed = try load(["IMGPROXY_KEY": Self.key, "IMGPROXY_SALT": Self.key], unsigned: false)
    #expect(signed.problems.of(.risk).isEmpty)
    // A key that cannot be read is not missing as well.
    let bad = failure(["IMGPROXY_KEY": "x", "IMGPROXY_SALT": Self.key], unsigned: false)
    #expect(bad.filter { $0.severity == .error }.map(\.code) == [.invalidValue])
  }

  static let contradictions: [([String: String], String)] = [
    (["KEY": key], "KEY"), (["SALT": "\(key),\(key)", "KEY": key], "KEY"),
    (["KEY": key, "SALT": key, "KEY_IDS": "a,b"], "KEY_IDS"),
    (["KEY": "\(key),\(key)", "SALT": "\(key),\(key)", "KEY_IDS": "a,a"], "KEY_IDS"),
    (["KEY": key, "SALT": key, "KEY_VALID_UNTIL": ","], "KEY_VALID_UNTIL"),
    (["SIGNATURE_SIZE": "7"], "SIGNATURE_SIZE"), (["NETWORK": "unix"], "BIND"), (["BIND": "/a"], "BIND"),
    (["TIMEOUT": "0"], "TIMEOUT"), (["DOWNLOAD_TIMEOUT": "0"], "DOWNLOAD_TIMEOUT"),
    (["PROMETHEUS_BIND": ":8080"], "PROMETHEUS_BIND"), (["PLAYGROUND": "1"], "PLAYGROUND"),
    (["OPEN_TELEMETRY_CLIENT_KEY": "x"], "OPEN_TELEMETRY_CLIENT_CERT"),
    (["USE_S3": "1", "S3_ACCESS_KEY_ID": "x"], "S3_ACCESS_KEY_ID"),
    (["S3_BUCKET_CREDENTIALS": "a=b"], "S3_BUCKET_CREDENTIALS"),
    (
      ["CACHE_USE": "s3", "CACHE_BUCKET": "b", "CACHE_S3_SECRET_ACCESS_KEY": "x"], "CACHE_S3_ACCESS_KEY_ID"
    ), (["CACHE_USE": "fs"], "CACHE_USE"),
    (["CACHE_USE": "s3"], "CACHE_USE"), (["AUTOQUALITY_MIN": "90"], "AUTOQUALITY_MIN"),
    (["AUTOQUALITY_FORMAT_MIN": "avif=90"], "AUTOQUALITY_FORMAT_MIN"),
    (["FALLBACK_IMAGE_HTTP_CODE": "99"], "FALLBACK_IMAGE_HTTP_CODE"),
    (["ARGUMENTS_SEPARATOR": "a"], "ARGUMENTS_SEPARATOR"),
  ]

  @Test(arguments: contradictions) func contradictionsAreErrors(settings: [String: String], name: String)
    throws
  {
    var environment: [String: String] = [:]
    for (name, value) in settings { environment["CALOTYPE_" + name] = value }
    let problems = failure(environment).filter { $0.severity == .error }
    #expect(problems.map(\.code) == [.contradiction])
    #expect(problems.first?.place == .variable("CALOTYPE_" + name))
  }

  @Test(arguments: [
    (["IGNORE_SSL_VERIFICATION": "1"], SettingsProblem.Code.risk), (["LOCAL_FILESYSTEM_ROOT": "/"], .risk),
    (["TRUSTED_PROXIES": "0.0.0.0/0"], .risk), (["TRUSTED_SIGNATURES": "unsafe"], .risk),
    (["DOWNLOAD_TIMEOUT": "20"], .contradiction), (["ONLY_PRESETS": "1"], .contradiction),
    (["CACHE_REDIS_TTL": "60", "REDIS_URL": "redis://h"], .contradiction),
    (["WATERMARK_PATH": "/a", "WATERMARK_URL": "http://a/b"], .contradiction),
  ]) func risksAreWarnings(settings: [String: String], code: SettingsProblem.Code) throws {
    var environment = ["CALOTYPE_KEY": Self.key, "CALOTYPE_SALT": Self.key]
    for (name, value) in settings { environment["CALOTYPE_" + name] = value }
    let problems = try load(environment, unsigned: false).problems.filter { $0.code != .planned }
    #expect(problems.map(\.code) == [code])
    #expect(problems.map(\.severity) == [.warning])
  }

  @Test func everyPresetThatCannotBeAppliedHasItsLine() {
    let files = MemoryFiles(["/p": "# presets\ngood=w:1\nbad=nonsense:1\n\nworse=rs:nonsense\nboth=pr:bad\n"])
    let problems = failure(
      ["IMGPROXY_PRESETS": "inline=q:1000,fine=q:10", "IMGPROXY_PRESETS_PATH": "/p"], files: files
    )
    .of(.invalidPreset)
    #expect(
      Set(problems.compactMap(\.place)) == [
        .named(path: "/p", line: 3), .named(path: "/p", line: 5), .variable("IMGPROXY_PRESETS"),
      ])
    #expect(problems.count == 3)
    let shape = failure(["IMGPROXY_INFO_PRESETS_PATH": "/q"], files: MemoryFiles(["/q": "\n\nno sign\n"]))
    #expect(shape.of(.invalidPreset).map(\.place) == [.named(path: "/q", line: 3)])
  }

  @Test func settingsMakeADialect() throws {
    let files = MemoryFiles(["/p": "thumb=w;100\n"])
    let settings = try load(
      [
        "IMGPROXY_KEY": Self.key + ",00112233445566778899",
        "IMGPROXY_SALT": Self.key + ",99112233445566778899",
        "IMGPROXY_PATH_PREFIX": "img/", "IMGPROXY_PRESETS_PATH": "/p",
        "IMGPROXY_BASE_URL": "https://example.com/",
        "IMGPROXY_URL_REPLACEMENTS": "media://=", "IMGPROXY_ALLOWED_PROCESSING_OPTIONS": "width,preset",
        "CALOTYPE_KEY_IDS": "new,old", "CALOTYPE_KEY_VALID_UNTIL": ",2026-01-01T00:00:00Z",
        "IMGPROXY_SOURCE_URL_ENCRYPTION_KEY": Self.key, "IMGPROXY_ARGUMENTS_SEPARATOR": ";",
      ], files: files, unsigned: false
    ).settings
    let configuration = try settings.dialect()
    #expect(configuration.signature.keys.map(\.id) == ["new", "old"])
    #expect(configuration.signature.keys.map(\.validUntil) == [nil, 1_767_225_600])
    let dialect = try ImgproxyDialect(configuration)
    let path = "/pr;thumb/plain/media://a.jpg"
    let request = try dialect.parse("/img/" + configuration.signature.sign(path) + path)
    #expect(request.options.width == 100)
    #expect(request.source == "https://example.com/a.jpg")
    #expect(configuration.cipher != nil)
    #expect(throws: ImageURLError.self) {
      let forbidden = "/q;1/plain/media://a.jpg"
      _ = try dialect.parse("/img/" + configuration.signature.sign(forbidden) + forbidden)
    }
  }
}
