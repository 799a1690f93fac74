extension SettingTable {
  static let server = SettingRows.group(.server) {
    Setting(
      "NETWORK", \.server.network, choice(Settings.Server.Network.self), .map,
      "The kind of the listening socket.")
    Setting("BIND", \.server.bind, .address, .map, "Where the server listens.")
      .alias(SettingAlias("PORT", prefix: ":"))
    Setting(
      "SO_REUSEPORT", \.server.reusesPort, .flag, .map, "Lets several processes listen at one port.")
    Setting(
      "MAX_CLIENTS", \.server.maxClients, .integer(0...1_000_000), .map,
      "Most connections at once; 0 for no limit.")
    Setting(
      "TIMEOUT", \.server.timeout, .duration, .mapPlus,
      "The time in which a result has to be made, downloads and waits included; decoders end with it.")
    Setting(
      "READ_REQUEST_TIMEOUT", \.server.readTimeout, .duration, .map,
      "The time in which a request has to arrive, and each part of its body after another."
    ).alias(SettingAlias("IMGPROXY_READ_TIMEOUT", deprecated: "it is an old name"))
    Setting(
      "WRITE_RESPONSE_TIMEOUT", \.server.writeTimeout, .duration, .map,
      "The time in which a client has to make room for the next bytes of a response."
    ).alias(SettingAlias("IMGPROXY_WRITE_TIMEOUT", deprecated: "it is an old name"))
    Setting(
      "KEEP_ALIVE_TIMEOUT", \.server.keepAlive, .duration, .map,
      "How long an idle connection of a client stays open, at most `READ_REQUEST_TIMEOUT`; 0: responses ask clients to close it."
    )
    Setting(
      "CLIENT_KEEP_ALIVE_TIMEOUT", \.server.sourceKeepAlive, .duration, .map,
      "How long an idle connection to a source stays open; 0 for no keep-alive.")
    Setting(
      "DOWNLOAD_TIMEOUT", \.server.downloadTimeout, .duration, .map,
      "The time of a download; for one that is passed on as it arrives, the time of each wait.")
    Setting(
      "GRACEFUL_STOP_TIMEOUT", \.server.stopTimeout, .duration, .map,
      "How long work in flight may go on after SIGTERM.")
    Setting(
      "STOP_DELAY", \.server.stopDelay, .duration, .own,
      "How long connections are still accepted after SIGTERM, while `/ready` reports 503."
    ).imgproxy(default: "0")
    Setting("PATH_PREFIX", \.server.pathPrefix, .urlPath, .map, "The path in front of all others.")
    Setting(
      "HEALTH_CHECK_PATH", \.server.healthPath, .urlPath, .map, "A path that answers as `/health` does.")
    Setting(
      "HEALTH_CHECK_MESSAGE", \.server.healthMessage, .text, .map, "The body of the health check.")
    Setting(
      "SECRET", \.server.secrets, .list(.comma, .text), .mapPlus,
      "Tokens of `Authorization: Bearer`, of which requests need one."
    ).secret()
    Setting(
      "ALLOW_ORIGIN", \.server.allowedOrigins, .list(.comma, .origin), .mapPlus,
      "Origins of `Access-Control-Allow-Origin`; of several, the one of the request is sent.")
    Setting(
      "CROSS_ORIGIN_RESOURCE_POLICY", \.server.resourcePolicy,
      choice(Settings.Server.ResourcePolicy.self), .own, "`Cross-Origin-Resource-Policy` of responses.")
    Setting(
      "USER_AGENT", \.server.userAgent, .text, .map,
      "`User-Agent` of downloads, in which `%current_version` stands for the version."
    ).imgproxy(default: "imgproxy/%current_version")
    Setting("SERVER_NAME", \.server.name, .text, .map, "`Server` of responses.")
      .imgproxy(default: "imgproxy")
    Setting(
      "CUSTOM_HEADERS_SEPARATOR", \.server.headersSeparator, .text, .map,
      "The text between the items of the custom headers.")
    Setting(
      "CUSTOM_REQUEST_HEADERS", \.server.requestHeaders, .headers, .map,
      "Headers that are added to downloads."
    ).secret()
    Setting(
      "CUSTOM_RESPONSE_HEADERS", \.server.responseHeaders, .headers, .map,
      "Headers that are added to responses.")
    Setting(
      "REQUEST_HEADERS_PASSTHROUGH", \.server.passedRequestHeaders, .list(.comma, .token), .mapPlus,
      "Headers of requests that are sent to the source, and on which cached results then depend.")
    Setting(
      "RESPONSE_HEADERS_PASSTHROUGH", \.server.passedResponseHeaders, .list(.comma, .token), .map,
      "Headers of the source that are sent to the client, but cookies and those of the connection.")
    Setting(
      "SET_CANONICAL_HEADER", \.server.setsCanonicalHeader, .flag, .map,
      "Names the source of a response in a `Link` header.")
    Setting(
      "ENABLE_DEBUG_HEADERS", \.server.setsDebugHeaders, .flag, .mapPlus,
      "Describes in headers how a response was made, `Server-Timing` included.")
    Setting(
      "DEVELOPMENT_ERRORS_MODE", \.server.showsErrorDetails, .flag, .map,
      "Shows the details of errors to clients.")
    Setting(
      "TRUSTED_PROXIES", \.server.trustedProxies, .networks, .own,
      "Proxies whose `X-Forwarded-For` names the client."
    ).imgproxy(default: "0.0.0.0/0,::/0")
    Setting("PLAYGROUND", \.server.servesPlayground, .flag, .own, "Serves `/playground`.")
  }

  static let unusedServer: [UnusedSetting] = [
    .init("FREE_MEMORY_INTERVAL", .refused, "it tunes the memory of Go"),
    .init("LOG_MEM_STATS", .refused, "it tunes the memory of Go"),
    .init("MALLOC", .refused, "it chooses the allocator of a container image"),
    .init("DOWNLOAD_BUFFER_SIZE", .refused, "it tunes the memory of Go"),
    .init("BUFFER_POOL_CALIBRATION_THRESHOLD", .refused, "it tunes the memory of Go"),
    .init("PPROF_BIND", .refused, "it is a profiler of Go"),
    .init("ENV_AWS_*", .refused, "let the entrypoint fetch secrets, and give their files by NAME_FILE"),
    .init("ENV_GCP_*", .refused, "let the entrypoint fetch secrets, and give their files by NAME_FILE"),
    .init("LICENSE_KEY", .ignored, "no license is needed"),
    .init("LICENSE_DEVELOPMENT_MODE", .ignored, "no license is needed"),
  ]

  /// The words of an enumeration.
  static func choice<Choice: CaseIterable & RawRepresentable<String>>(_ type: Choice.Type) -> SettingKind {
    .choice(type.allCases.map(\.rawValue))
  }
}
