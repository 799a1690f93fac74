import Logging

/// The names of levels in lines.
extension Logger.Level {
  /// The name for people and JSON; `fatal` and `warn` as imgproxy spells them.
  var lineName: String {
    switch self {
    case .trace: "trace"
    case .debug: "debug"
    case .info: "info"
    case .notice: "notice"
    case .warning: "warn"
    case .error: "error"
    case .critical: "fatal"
    }
  }

  /// The severity of Google Cloud Logging.
  var severity: String {
    switch self {
    case .trace, .debug: "DEBUG"
    case .info: "INFO"
    case .notice: "NOTICE"
    case .warning: "WARNING"
    case .error: "ERROR"
    case .critical: "CRITICAL"
    }
  }
}
