extension SettingTable {
  static let metrics = SettingRows.group(.metrics) {
    Setting("PROMETHEUS_BIND", \.metrics.prometheus, .address, .map, "Where Prometheus reads metrics.")
    Setting(
      "PROMETHEUS_NAMESPACE", \.metrics.prometheusNamespace, .text, .map,
      "The text in front of the names of metrics.")
    Setting(
      "OPEN_TELEMETRY_ENABLE", \.metrics.usesOpenTelemetry, .flag, .map,
      "Sends traces by OpenTelemetry, to the collector that `OTEL_*` describes.")
    Setting(
      "OPEN_TELEMETRY_ENABLE_METRICS", \.metrics.exportsMetrics, .flag, .map,
      "Sends metrics by OpenTelemetry.")
    Setting(
      "OPEN_TELEMETRY_ENABLE_LOGS", \.metrics.exportsLogs, .flag, .map, "Sends logs by OpenTelemetry.")
    Setting(
      "OPEN_TELEMETRY_SERVER_CERT", \.metrics.serverCertificate, .lines, .map,
      "The certificate of the collector, in PEM.")
    Setting(
      "OPEN_TELEMETRY_CLIENT_CERT", \.metrics.clientCertificate, .lines, .map,
      "The certificate for the collector, in PEM.")
    Setting(
      "OPEN_TELEMETRY_CLIENT_KEY", \.metrics.clientKey, .lines, .map, "The key of that certificate, in PEM."
    ).secret()
    Setting(
      "OPEN_TELEMETRY_TRACE_ID_GENERATOR", \.metrics.traceIDs, choice(Settings.Metrics.TraceIDs.self), .map,
      "How the identifiers of traces are made.")
    Setting(
      "OPEN_TELEMETRY_PROPAGATE_EXTERNAL", \.metrics.continuesTraces, .flag, .map,
      "Continues the traces of clients, in spans and in the requests to sources.")
  }

  static let logging = SettingRows.group(.logging) {
    Setting(
      "LOG_FORMAT", \.logging.format, choice(Settings.Logging.Format.self), .map,
      "The form of logs, on standard error: a line each. `gcp` is JSON with the names of Google Cloud."
    ).imgproxy(default: "pretty")
    Setting(
      "LOG_LEVEL", \.logging.level, choice(Settings.Logging.Level.self), .map,
      "The least severity that is logged.")
    Setting(
      "REPORT_DOWNLOADING_ERRORS", \.logging.reportsDownloadErrors, .flag, .map,
      "Logs failed downloads as errors.")
    Setting(
      "REPORT_IO_ERRORS", \.logging.reportsIOErrors, .flag, .map, "Logs broken connections as errors.")
  }

  static let compatibility = SettingRows.group(.compatibility) {
    Setting(
      "COMPATIBILITY_MALLEABLE_SIGNATURE_TAIL", \.compatibility.acceptsMalleableSignatures, .flag, .own,
      "Accepts any of the unused bits of a signature's last character."
    ).imgproxy(default: "true")
    Setting(
      "COMPATIBILITY_HEAD_ALWAYS_200", \.compatibility.answersEveryHead, .flag, .own,
      "Answers every HEAD with 200, without work."
    ).imgproxy(default: "true")
    Setting(
      "COMPATIBILITY_ORIGIN_ETAG", \.compatibility.passesOriginETag, .flag, .own,
      "Sends the source's `ETag` with every variant of it."
    ).imgproxy(default: "true")
  }

  static let loading = SettingRows.group(.loading) {
    Setting("CONFIG", \.loading.configurationFile, .path, .own, "The TOML file.")
      .only([.environment, .flag])
    Setting(
      "ENV_FILE", \.loading.environmentFile, .path, .mapPlus,
      "The env file. The environment overrides it, unless imgproxy's variable names it, as there."
    ).imgproxy(name: "ENV_LOCAL_FILE_PATH").only([.environment, .flag])
    Setting(
      "STRICT_ENV", \.loading.isStrict, .flag, .mapPlus,
      "Treats unknown, unsupported, planned and deprecated names as errors."
    ).imgproxy(name: "FAIL_ON_DEPRECATION")
    Setting(
      "IMGPROXY_DEFAULTS", \.loading.usesImgproxyDefaults, .flag, .own,
      "Takes imgproxy's defaults where they differ, and names each of them.")
  }

  static let unusedObserving: [UnusedSetting] = [
    .init("NEW_RELIC_*", .refused, "OpenTelemetry reaches the same services"),
    .init("DATADOG_*", .refused, "OpenTelemetry reaches the same services"),
    .init("CLOUD_WATCH_*", .refused, "OpenTelemetry reaches the same services"),
    .init("BUGSNAG_*", .refused, "errors are in logs and traces"),
    .init("HONEYBADGER_*", .refused, "errors are in logs and traces"),
    .init("SENTRY_*", .refused, "errors are in logs and traces"),
    .init("AIRBRAKE_*", .refused, "errors are in logs and traces"),
    .init("SYSLOG_*", .refused, "logs go to standard error"),
  ]
}
