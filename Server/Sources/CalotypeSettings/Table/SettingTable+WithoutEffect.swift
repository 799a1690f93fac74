extension SettingTable {
  /// The names of the settings that are read and checked, and have no effect yet.
  ///
  /// A name leaves the list together with the change that gives it an effect; tests compare the list with the code.
  public static let withoutEffect: Set<String> = [
    "BEST_FORMAT_ALLOW_SKIPS",
    "BEST_FORMAT_COMPLEXITY_THRESHOLD",
    "CACHE_REPORT_ERRORS",
    "CLIENT_KEEP_ALIVE_TIMEOUT",
    "COLOR_PROFILES_DIR",
    "ENFORCE_THUMBNAIL",
    "FALLBACK_IMAGE_PREPROCESS_URL",
    "JPEG_QUANT_TABLE",
    "OPEN_TELEMETRY_CLIENT_CERT",
    "OPEN_TELEMETRY_CLIENT_KEY",
    "OPEN_TELEMETRY_ENABLE",
    "OPEN_TELEMETRY_ENABLE_LOGS",
    "OPEN_TELEMETRY_ENABLE_METRICS",
    "OPEN_TELEMETRY_SERVER_CERT",
    "OPEN_TELEMETRY_TRACE_ID_GENERATOR",
    "PNG_UNLIMITED",
    "S3_ACCESS_POINTS",
    "SO_REUSEPORT",
    "STEP_DOWN_FORMATS",
    "STRIP_METADATA_DPI",
    "SVG_UNLIMITED",
    "TIFF_UNLIMITED",
    "TRUSTED_PROXIES",
    "WATERMARK_PREPROCESS_URL",
  ]
}
