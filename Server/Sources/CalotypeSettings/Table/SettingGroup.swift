/// A group of settings: a heading of the help, and a table of a TOML file.
public enum SettingGroup: String, Hashable, Sendable, CaseIterable {
  /// ``Settings/Server``.
  case server
  /// ``Settings/Security``.
  case security
  /// ``Settings/Limits``.
  case limits
  /// ``Settings/Concurrency``.
  case concurrency
  /// ``Settings/HTTPCache``.
  case httpCache = "http_cache"
  /// ``Settings/Formats``.
  case formats
  /// ``Settings/Quality``.
  case quality
  /// ``Settings/Processing``.
  case processing
  /// ``Settings/Watermark``.
  case watermark
  /// ``Settings/Fallback``.
  case fallback
  /// ``Settings/Presets``.
  case presets
  /// ``Settings/URLs``.
  case urls
  /// ``Settings/Sources``.
  case sources
  /// ``Settings/Cache``.
  case cache
  /// ``Settings/Metrics``.
  case metrics
  /// ``Settings/Logging``.
  case logging
  /// ``Settings/Compatibility``.
  case compatibility
  /// ``Settings/Loading``.
  case loading

  /// The heading.
  public var title: String {
    switch self {
    case .server: "Server"
    case .security: "Signatures and access"
    case .limits: "Limits"
    case .concurrency: "Concurrency"
    case .httpCache: "HTTP caching"
    case .formats: "Formats and encoders"
    case .quality: "Quality by measuring"
    case .processing: "Processing defaults"
    case .watermark: "Watermark"
    case .fallback: "Fallback image"
    case .presets: "Presets"
    case .urls: "URLs"
    case .sources: "Sources"
    case .cache: "Cache of results"
    case .metrics: "Metrics and traces"
    case .logging: "Logs"
    case .compatibility: "Compatibility with imgproxy"
    case .loading: "Reading of settings"
    }
  }

  /// The beginnings of names that their keys in the TOML table do not repeat.
  var prefixes: [String] {
    switch self {
    case .cache: ["CACHE_"]
    case .compatibility: ["COMPATIBILITY_"]
    case .fallback: ["FALLBACK_"]
    case .logging: ["LOG_"]
    case .presets: ["PRESETS_"]
    case .quality: ["AUTOQUALITY_"]
    case .watermark: ["WATERMARK_"]
    default: []
    }
  }
}
