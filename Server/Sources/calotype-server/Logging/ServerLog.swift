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
  private let format: LogFormat
  private let threshold: Logger.Level

  /// Starts the log that settings describe, for libraries, too. Once in a process.
  init(_ settings: Settings.Logging) {
    let format = LogFormat(settings.format)
    let level = Logger.Level(settings.level)
    let writer = LineLogHandler.writer(descriptor: STDERR_FILENO, format: format)
    LoggingSystem.bootstrap { LineLogHandler(label: $0, format: format, level: level, writer: writer) }
    logger = Logger(label: "calotype-server")
    levels = RequestLevels(settings)
    self.writer = writer
    self.format = format
    threshold = level
  }

  /// The number of lines that were lost because their reader was too slow.
  var droppedCount: Int { writer.droppedCount }

  /// Logs a request: one line.
  func write(_ record: RequestRecord) {
    let (seconds, attoseconds) = record.duration.components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000) / 1000
    let level = levels.level(of: record)
    guard level >= threshold else { return }
    var fields: [LogField] = []
    fields.reserveCapacity(8)
    fields.append(LogField("duration_ms", milliseconds))
    if let code = record.errorCode {
      fields.append(LogField("error_code", code))
      if !record.errorDetail.isEmpty {
        fields.append(LogField("error_detail", String(record.errorDetail.prefix(300))))
      }
    }
    if let subject = record.subject { fields.append(LogField("identity", subject.identity)) }
    fields.append(LogField("method", record.method.rawValue))
    fields.append(LogField("request_id", record.requestID))
    if let subject = record.subject { fields.append(LogField("source_host", subject.sourceHost)) }
    fields.append(LogField("status", record.status.code))
    if let trace = record.traceID { fields.append(LogField("trace_id", trace)) }
    // Not by way of the logger: metadata are a dictionary, and this is every request.
    let entry = LogEntry(
      time: LogEntry.now, level: level, label: logger.label, message: "request", fields: fields)
    writer.write(entry.line(format))
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
