import Testing

@testable import CalotypeSettings

/// Later sources win, and names that mean nothing are reported.
@Suite struct SourceTests {
  private let files = MemoryFiles([
    "/c.toml": "[formats]\nquality = 10\n", "/e.env": "CALOTYPE_QUALITY=20\n",
  ])

  @Test func laterSourcesWin() throws {
    func quality(_ environment: [String: String], _ arguments: [String]) throws -> Int {
      try load(environment, arguments, files: files).settings.formats.quality
    }
    #expect(try quality([:], []) == 80)
    #expect(try quality([:], ["--config", "/c.toml"]) == 10)
    #expect(try quality([:], ["--config", "/c.toml", "--env-file", "/e.env"]) == 20)
    #expect(try quality(["CALOTYPE_QUALITY": "30"], ["--config", "/c.toml", "--env-file", "/e.env"]) == 30)
    #expect(
      try quality(
        ["CALOTYPE_QUALITY": "30"], ["--config", "/c.toml", "--env-file", "/e.env", "--quality", "40"]) == 40)
  }

  @Test func theEnvFileOfImgproxyWinsOverTheEnvironment() throws {
    let loaded = try load(
      ["IMGPROXY_ENV_LOCAL_FILE_PATH": "/e.env", "CALOTYPE_QUALITY": "30"], files: files)
    #expect(loaded.settings.formats.quality == 20)
    #expect(
      loaded.origins["QUALITY"] == .environmentFile(path: "/e.env", line: 1, name: "CALOTYPE_QUALITY"))
    #expect(
      try load(["IMGPROXY_ENV_LOCAL_FILE_PATH": "/e.env"], ["--quality=50"], files: files).settings.formats
        .quality == 50)
  }

  @Test func anEnvFileMayNameTheConfiguration() throws {
    var files = files
    files["/e.env"] = SettingsFile(
      bytes: Array("CALOTYPE_CONFIG=/c.toml\nCALOTYPE_ENV_FILE=/x".utf8), mode: 0o600)
    #expect(failure([:], ["--env-file=/e.env"], files: files).of(.misplaced).count == 1)
    files["/e.env"] = SettingsFile(bytes: Array("CALOTYPE_CONFIG=/c.toml".utf8), mode: 0o600)
    #expect(try load([:], ["--env-file=/e.env"], files: files).settings.formats.quality == 10)
  }

  @Test func ourNamesWinWithinASource() throws {
    let loaded = try load(["CALOTYPE_QUALITY": "30", "IMGPROXY_QUALITY": "31"])
    #expect(loaded.settings.formats.quality == 30)
    #expect(loaded.problems.of(.conflict).map(\.place) == [.variable("IMGPROXY_QUALITY")])
    #expect(try load(["CALOTYPE_QUALITY": "30", "IMGPROXY_QUALITY": "30"]).problems.of(.conflict).isEmpty)
    // A later source wins, with each of the names.
    #expect(
      try load(["IMGPROXY_QUALITY": "31"], ["--env-file", "/e.env"], files: files).settings.formats.quality
        == 31)
  }

  @Test func emptyVariablesSayNothing() throws {
    #expect(try load(["CALOTYPE_QUALITY": "", "IMGPROXY_QUALITY": "31"]).settings.formats.quality == 31)
    #expect(try load(["IMGPROXY_BASE_URL": ""]).origins["BASE_URL"] == nil)
    #expect(try load(["IMGPROXY_SOURCE_URL_QUERY_SEPARATOR": ""]).settings.urls.querySeparator.isEmpty)
    #expect(try load().settings.urls.querySeparator == "?")
  }

  @Test func unknownNamesAreReportedWithTheNearest() throws {
    let loaded = try load(["IMGPROXY_QUALTIY": "1", "CALOTYPE_TIMEOU": "1", "OTHER_QUALTIY": "1"])
    let problems = loaded.problems.of(.unknownVariable)
    #expect(
      problems.map(\.remedy) == [
        "write CALOTYPE_TIMEOUT, or remove it", "write IMGPROXY_QUALITY, or remove it",
      ])
    #expect(problems.allSatisfy { $0.severity == .warning && $0.value == nil })
    for strict in ["CALOTYPE_STRICT_ENV", "IMGPROXY_FAIL_ON_DEPRECATION"] {
      #expect(
        failure(["IMGPROXY_QUALTIY": "1", strict: "1"]).of(.unknownVariable).map(\.severity) == [.error])
    }
    #expect(failure([:], ["--qualty", "1"]).of(.unknownFlag).map(\.remedy) == ["write --quality"])
    var files = files
    files["/c.toml"] = SettingsFile(bytes: Array("[formats]\nqualty = 1\n".utf8), mode: 0o600)
    let unknown = failure([:], ["--config=/c.toml"], files: files).of(.unknownKey)
    #expect(unknown.map(\.place) == [.file(path: "/c.toml", line: 2, key: "formats.qualty")])
    #expect(unknown.map(\.remedy) == ["write formats.quality"])
  }

  @Test(arguments: SettingTable.unused.map(\.variable)) func unusedSettingsAreReported(variable: String)
    throws
  {
    let unused = try #require(SettingTable.unused.first { $0.variable == variable })
    let name = variable.hasSuffix("*") ? variable.dropLast() + "SOMETHING" : variable[...]
    let secret = "word-in-confidence"
    let problems = try load([String(name): secret]).problems
    let code: SettingsProblem.Code? =
      switch unused.status {
      case .ignored: nil
      case .alias: .deprecated
      default: .unsupported
      }
    #expect(
      problems.filter { $0.severity == .warning && $0.code != .risk }.map(\.code) == (code.map { [$0] } ?? [])
    )
    #expect(problems.allSatisfy { !"\($0)".contains(secret) })
    #expect(try load([String(name): ""]).problems.of(.unsupported).isEmpty)
    guard code != nil else { return }
    #expect(!failure([String(name): secret], ["--strict-env"]).isEmpty)
  }

  @Test func oldNamesWorkAndWarn() throws {
    let loaded = try load(["IMGPROXY_ENABLE_WEBP_DETECTION": "true"])
    #expect(loaded.settings.formats.autoWebP)
    #expect(loaded.problems.of(.deprecated).map(\.remedy) == ["write CALOTYPE_AUTO_WEBP"])
    #expect(
      try !load(["IMGPROXY_ENABLE_WEBP_DETECTION": "true", "IMGPROXY_AUTO_WEBP": "0"]).settings.formats
        .autoWebP)
    #expect(
      try load(["PORT": "9001", "IMGPROXY_BIND": ":9002"]).settings.server.bind == .port(host: "", 9002))
  }

  @Test func valuesThatAreNotSupportedWarn() throws {
    let loaded = try load(["IMGPROXY_AUTOQUALITY_METHOD": "ML", "IMGPROXY_CACHE_USE": "gcs"])
    #expect(loaded.settings == (try load().settings))
    #expect(loaded.problems.of(.unsupported).map(\.severity) == [.warning, .warning])
    #expect(failure(["IMGPROXY_AUTOQUALITY_METHOD": "ml"], ["--strict-env"]).of(.unsupported).count == 1)
  }

  @Test func variablesOfKubernetesAreNoSettings() throws {
    let loaded = try load([
      "IMGPROXY_SERVICE_HOST": "10.0.0.1", "IMGPROXY_SERVICE_PORT": "80", "IMGPROXY_SERVICE_PORT_HTTP": "80",
      "IMGPROXY_PORT": "tcp://10.0.0.1:80", "CALOTYPE_SERVER_PORT_80_TCP_ADDR": "10.0.0.1",
      "IMGPROXY_PORT_X": "1",
    ])
    #expect(loaded.problems.of(.unknownVariable).map(\.place) == [.variable("IMGPROXY_PORT_X")])
  }

  @Test func credentialsOfThePlatformAreRead() throws {
    let settings = try load([
      "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "word", "AWS_REGION": "a",
      "AWS_DEFAULT_REGION": "b",
    ]).settings
    #expect(settings.sources.s3.accessKeyID == "id" && settings.sources.s3.secretAccessKey.exposed == "word")
    #expect(settings.sources.s3.region == "a")
    #expect(try load(["AWS_REGION": "a", "IMGPROXY_S3_REGION": "c"]).settings.sources.s3.region == "c")
  }

  @Test func flagsHaveValuesOrNone() throws {
    #expect(try load([:], ["--auto-webp"]).settings.formats.autoWebP)
    #expect(try !load([:], ["--auto-webp", "--no-auto-webp"]).settings.formats.autoWebP)
    #expect(try !load([:], ["--use-etag=false"]).settings.httpCache.setsETag)
    #expect(try load([:], ["--base-url=a=b"]).settings.urls.baseURL == "a=b")
    for arguments in [
      ["--quality"], ["--quality", "--auto-webp"], ["--no-quality"], ["word"], ["--no-auto-webp=1"],
    ] {
      #expect(failure([:], arguments).of(.unknownFlag).count == 1, "\(arguments)")
    }
  }

  @Test func allProblemsAreReportedAtOnce() {
    var files = files
    files["/c.toml"] = SettingsFile(
      bytes: Array(
        "[formats]\nquality = \n[cache]\nuse = \"redis\"\n[limits]\nmax_src_resolution = -1\n".utf8),
      mode: 0o600)
    files["/e.env"] = SettingsFile(bytes: Array("# c\nnonsense\nCALOTYPE_TTL=x\n".utf8), mode: 0o600)
    let problems = failure(
      ["IMGPROXY_WEBP_EFFORT": "7"], ["--config=/c.toml", "--env-file=/e.env", "--workers=many"], files: files
    )
    let places = Set(problems.filter { $0.severity == .error }.compactMap(\.place).map(\.description))
    #expect(
      places == [
        "/c.toml:2", "/c.toml:4 cache.use", "/c.toml:6 limits.max_src_resolution", "/e.env:2",
        "/e.env:3 CALOTYPE_TTL", "IMGPROXY_WEBP_EFFORT", "--workers",
      ])
    let error = SettingsError(problems)
    #expect(error.description.split(separator: "\n").count == error.errors.count)
    #expect(
      error.description.contains("IMGPROXY_WEBP_EFFORT = 7: the value is a whole number, 1 to 6; "))
  }

  @Test func unreadableFilesAreReported() {
    for arguments in [
      ["--config=/none"], ["--env-file=/none"], ["--key-file=/none"], ["--presets-path=/none"],
    ] {
      let problems = failure([:], arguments)
      #expect(
        problems.contains { "\($0)".contains("/none") && "\($0)".contains("No such file") }, "\(arguments)")
    }
    #expect(
      failure(
        [:], ["--config=/long"], files: MemoryFiles(["/long": String(repeating: "#", count: 1 << 20 + 1)])
      ).of(.unreadableFile).count == 1)
  }

  @Test func problemsAreBounded() {
    var environment: [String: String] = [:]
    for index in 0..<1000 { environment["IMGPROXY_UNKNOWN_\(index)"] = "x" }
    let problems = failure(environment, ["--strict-env"])
    #expect(problems.count == ProblemList.limit + 1)
    #expect(problems.of(.tooMany).map(\.severity) == [.error])
  }
}
