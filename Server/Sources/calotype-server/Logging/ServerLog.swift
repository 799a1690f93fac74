import CalotypeLogs
import CalotypeServing
import CalotypeSettings
import Glibc
import HTTPTypes
import Logging

/// The log of the process, on standard error.
struct ServerLog: Sendable {
  let logger: Logger
  private let writer: LogWriter
  private let levels: RequestLevels

  /// Starts the log that settings describe, for libraries, too. Once in a process.
  init(_ settings: Settings.Logging) {
    let format = LogFormat(settings.format)
    let level = Logger.Level(settings.level)
    let writer = LineLogHandler.writer(descriptor: STDERR_FILENO, format: format)
    LoggingSystem.bootstrap { LineLogHandler(label: $0, format: format, level: level, writer: writer) }
    logger = Logger(label: "calotype-server")
    levels = RequestLevels(settings)
    self.writer = writer
  }

  /// The number of lines that were lost because their reader was too slow.
  var droppedCount: Int { writer.droppedCount }

  /// Logs a request: one line.
  func write(_ record: RequestRecord) {
    let (seconds, attoseconds) = record.duration.components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000) / 1000
    var metadata: Logger.Metadata = [
      "request_id": "\(record.requestID)", "method": "\(record.method.rawValue)",
      "status": .stringConvertible(record.status.code), "duration_ms": .stringConvertible(milliseconds),
    ]
    metadata["trace_id"] = record.traceID.map { "\($0)" }
    metadata["identity"] = record.subject.map { "\($0.identity)" }
    metadata["source_host"] = record.subject.map { "\($0.sourceHost)" }
    metadata["error_code"] = record.errorCode.map { "\($0)" }
    logger.log(level: levels.level(of: record), "request", metadata: metadata)
  }

  /// Logs something worth knowing about settings.
  func write(_ problem: SettingsProblem) {
    let level: Logger.Level =
      switch problem.severity {
      case .note: .info
      case .warning: .warning
      case .error: .error
      }
    logger.log(level: level, "settings", metadata: ["code": "\(problem.code)", "detail": "\(problem)"])
  }

  /// Waits a little until the lines are read: a reader that hangs does not delay the end.
  func close() { writer.close(within: .seconds(1)) }
}

extension LogFormat {
  init(_ format: Settings.Logging.Format) {
    self =
      switch format {
      case .pretty: .pretty
      case .structured: .structured
      case .json: .json
      case .gcp: .gcp
      }
  }
}

extension Logger.Level {
  init(_ level: Settings.Logging.Level) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .warn: .warning
      case .error: .error
      case .fatal: .critical
      }
  }
}
