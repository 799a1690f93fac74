import CalotypeURLs

/// Checks settings against each other.
struct SettingsValidator {
  let settings: Settings
  private let origins: [String: SettingPlace]
  /// The names of settings whose values could not be read; rules about them are not checked.
  private let failed: Set<String>
  private var problems: [SettingsProblem] = []

  init(_ loaded: LoadedSettings, failed: Set<String> = []) {
    settings = loaded.settings
    origins = loaded.origins
    self.failed = failed
  }

  /// All contradictions and risks.
  mutating func validate() -> [SettingsProblem] {
    problems = []
    validateKeys()
    validateServer()
    validateSources()
    validateImages()
    validateURLs()
    if problems.allSatisfy({ $0.severity != .error }) {
      for problem in PresetValidator(settings, origins: origins, failed: failed).problems {
        problems.append(problem)
      }
    }
    return problems
  }

  /// The place of a setting that is set, else the name of its variable.
  func place(_ name: String) -> SettingPlace {
    origins[name] ?? SettingTable.row(name).map { .variable($0.variable) } ?? .standard
  }

  /// Adds a problem of some settings, at the place of the first, if the rule does not hold.
  private mutating func require(
    _ holds: Bool, _ names: [String], _ code: SettingsProblem.Code, _ severity: SettingsProblem.Severity,
    _ rule: @autoclosure () -> String, remedy: @autoclosure () -> String
  ) {
    guard !holds, failed.isDisjoint(with: names), let first = names.first else { return }
    problems.append(SettingsProblem(code, severity, at: place(first), rule(), remedy: remedy()))
  }

  /// Adds a contradiction of some settings.
  private mutating func require(
    _ holds: Bool, _ names: [String], _ rule: @autoclosure () -> String, remedy: @autoclosure () -> String
  ) {
    require(holds, names, .contradiction, .error, rule(), remedy: remedy())
  }
}

extension SettingsValidator {
  private mutating func validateKeys() {
    let security = settings.security
    let (keys, salts) = (security.keys.count, security.salts.count)
    require(
      keys == salts, ["KEY", "SALT"], "there are \(keys) keys and \(salts) salts",
      remedy: "give a salt for each key")
    require(
      security.keyIDs.isEmpty || security.keyIDs.count == keys, ["KEY_IDS", "KEY"],
      "there are \(security.keyIDs.count) names and \(keys) keys", remedy: "give a name for each key, or none"
    )
    require(
      Set(security.keyIDs).count == security.keyIDs.count, ["KEY_IDS"], "two keys have the same name",
      remedy: "rename one")
    require(
      security.keyValidity.isEmpty || security.keyValidity.count == keys, ["KEY_VALID_UNTIL", "KEY"],
      "there are \(security.keyValidity.count) times and \(keys) keys",
      remedy: "give a time for each key, empty for one without end, or none")
    require(
      keys > 0 || salts > 0 || security.allowsUnsigned, ["KEY", "SALT", "ALLOW_UNSIGNED"], .missingKeys,
      .error,
      "there are no keys, so that everybody may ask for every URL",
      remedy: "set CALOTYPE_KEY and CALOTYPE_SALT, or pass --allow-unsigned")
    require(
      keys > 0 || !security.allowsUnsigned, ["ALLOW_UNSIGNED", "KEY"], .risk, .warning,
      "there are no keys, so that everybody may ask for every URL",
      remedy: "set CALOTYPE_KEY and CALOTYPE_SALT")
    require(
      security.keys.allSatisfy { $0.exposed.count >= 8 }
        && security.salts.allSatisfy { $0.exposed.count >= 8 },
      ["KEY", "SALT"], .risk, .warning, "a key or a salt has less than 8 bytes",
      remedy: "make it with openssl rand -hex 32")
    require(
      security.signatureSize >= 8 || security.allowsShortSignatures,
      ["SIGNATURE_SIZE", "ALLOW_SHORT_SIGNATURES"],
      "signatures of \(security.signatureSize) bytes can be guessed",
      remedy: "keep 8 bytes or more, or pass --allow-short-signatures")
    require(
      !security.ignoresCertificates, ["IGNORE_SSL_VERIFICATION"], .risk, .warning,
      "certificates of sources are not verified", remedy: "let the server know the authority instead")
    require(
      !security.trustedSignatures.contains { $0.exposed.utf8.count < 8 }, ["TRUSTED_SIGNATURES"], .risk,
      .warning, "a trusted signature can be guessed", remedy: "make it 8 bytes or longer")
  }

  private mutating func validateServer() {
    let server = settings.server
    let isSocket = if case .socket? = server.bind { true } else { false }
    require(
      server.bind != nil, ["BIND"], "the server listens nowhere", remedy: "write :8080")
    require(
      isSocket == (server.network == .unix), ["BIND", "NETWORK"],
      "the address is \(isSocket ? "a socket" : "a port"), while the network is \(server.network.rawValue)",
      remedy: isSocket
        ? "set CALOTYPE_NETWORK to unix" : "set CALOTYPE_NETWORK to tcp, or give a path with a slash")
    for (name, timeout) in [
      ("TIMEOUT", server.timeout), ("READ_REQUEST_TIMEOUT", server.readTimeout),
      ("WRITE_RESPONSE_TIMEOUT", server.writeTimeout), ("DOWNLOAD_TIMEOUT", server.downloadTimeout),
    ] {
      require(timeout > .zero, [name], "the time is 0", remedy: "give 1 second or more")
    }
    require(
      server.downloadTimeout <= server.timeout, ["DOWNLOAD_TIMEOUT", "TIMEOUT"], .contradiction, .warning,
      "downloads have more time than requests", remedy: "make TIMEOUT longer, or DOWNLOAD_TIMEOUT shorter")
    require(
      settings.metrics.prometheus == nil || settings.metrics.prometheus != server.bind
        || server.bind == .port(host: "", 0), ["PROMETHEUS_BIND", "BIND"],
      "metrics have the address of the server", remedy: "give another port")
    require(
      !server.headersSeparator.isEmpty, ["CUSTOM_HEADERS_SEPARATOR"], "the separator is empty",
      remedy: "write \\;")
    require(
      !server.servesPlayground || !server.secrets.isEmpty || server.bind?.isLocal == true,
      ["PLAYGROUND", "SECRET", "BIND"], "the playground signs URLs for everybody",
      remedy: "set CALOTYPE_SECRET, or listen at 127.0.0.1")
    require(
      server.trustedProxies.allSatisfy { $0.prefixLength > 0 }, ["TRUSTED_PROXIES"], .risk, .warning,
      "every client may name its own address", remedy: "give the addresses of the proxies")
    let metrics = settings.metrics
    require(
      metrics.clientCertificate.isEmpty == metrics.clientKey.exposed.isEmpty,
      ["OPEN_TELEMETRY_CLIENT_CERT", "OPEN_TELEMETRY_CLIENT_KEY"],
      "a certificate and its key belong together",
      remedy: "set both, or none")
  }

  private mutating func validateSources() {
    let (sources, cache) = (settings.sources, settings.cache)
    require(
      sources.localRoot != "/", ["LOCAL_FILESYSTEM_ROOT"], .risk, .warning,
      "local:// reaches every file that the server may read", remedy: "give the folder of the images")
    for (prefix, s3, isUsed) in [
      ("", sources.s3, sources.usesS3), ("CACHE_", cache.s3, cache.storage == .s3),
    ] {
      require(
        !isUsed || s3.accessKeyID.isEmpty == s3.secretAccessKey.exposed.isEmpty,
        ["\(prefix)S3_ACCESS_KEY_ID", "\(prefix)S3_SECRET_ACCESS_KEY"],
        "an access key has an id and a secret",
        remedy: "set both, or none")
    }
    require(
      sources.s3BucketCredentials.exposed.allSatisfy { $0.value.contains(":") }, ["S3_BUCKET_CREDENTIALS"],
      "credentials have an id and a secret", remedy: "write bucket=id:secret")
    require(
      cache.storage != .fs || !cache.directory.isEmpty, ["CACHE_USE", "CACHE_FS_ROOT"],
      "results are kept in a folder, and there is none", remedy: "set CALOTYPE_CACHE_FS_ROOT")
    require(
      cache.storage != .s3 || !cache.bucket.isEmpty, ["CACHE_USE", "CACHE_BUCKET"],
      "results are kept in a bucket, and there is none", remedy: "set CALOTYPE_CACHE_BUCKET")
    require(
      cache.redisLifetime == .zero || cache.storage == .s3 && !cache.redisURL.exposed.isEmpty,
      ["CACHE_REDIS_TTL", "REDIS_URL", "CACHE_USE"], .contradiction, .warning,
      "results are kept in Redis in front of a bucket, and one of them is missing",
      remedy: "set CALOTYPE_REDIS_URL and CALOTYPE_CACHE_USE=s3, or leave CALOTYPE_CACHE_REDIS_TTL out")
  }

  private mutating func validateImages() {
    let quality = settings.quality
    require(
      quality.minimum <= quality.maximum, ["AUTOQUALITY_MIN", "AUTOQUALITY_MAX"],
      "the least quality is above the greatest", remedy: "swap them")
    for format in quality.formatMinimum.keys.sorted() {
      guard let least = quality.formatMinimum[format], let greatest = quality.formatMaximum[format] else {
        continue
      }
      require(
        least <= greatest, ["AUTOQUALITY_FORMAT_MIN", "AUTOQUALITY_FORMAT_MAX"],
        "the least quality of \(format.name) is above the greatest", remedy: "swap them")
    }
    let status = settings.fallback.status
    require(
      status == 0 || status >= 100, ["FALLBACK_IMAGE_HTTP_CODE"], "\(status) is no status",
      remedy: "write 100 to 599, or 0 for that of the error")
    let watermark = settings.watermark
    let fallback = settings.fallback
    for (name, texts) in [
      ("WATERMARK", [watermark.data, watermark.path, watermark.url]),
      ("FALLBACK_IMAGE", [fallback.data, fallback.path, fallback.url]),
    ] {
      require(
        texts.count { !$0.isEmpty } <= 1,
        ["\(name)_DATA", "\(name)_PATH", "\(name)_URL"].filter(origins.keys.contains),
        .contradiction, .warning, "one image is set in several ways, of which one counts",
        remedy: "keep one of them")
    }
  }

  private mutating func validateURLs() {
    require(
      !settings.presets.separator.isEmpty, ["PRESETS_SEPARATOR"], "the separator is empty",
      remedy: "write a comma")
    require(
      Self.isArgumentSeparator(settings.urls.argumentsSeparator), ["ARGUMENTS_SEPARATOR"],
      "the separator of arguments occurs in numbers, names or sources",
      remedy: "write a colon, or another of , ; ! $ & ' ( ) * = |")
    require(
      !settings.presets.only || !settings.presets.definitions.isEmpty || !settings.presets.file.lines.isEmpty,
      ["ONLY_PRESETS", "PRESETS", "PRESETS_PATH"], .contradiction, .warning,
      "URLs name presets and nothing else, and there are none", remedy: "set CALOTYPE_PRESETS")
  }

  private static func isArgumentSeparator(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(":,;!$&'()*=|".utf8.contains)
  }
}
