public import Logging

/// Writes log entries of swift-log as lines.
///
/// ```swift
/// import Logging
///
/// let writer = LineLogHandler.writer(descriptor: STDERR_FILENO, format: .json)
/// LoggingSystem.bootstrap { LineLogHandler(label: $0, format: .json, level: .info, writer: writer) }
/// ```
public struct LineLogHandler: LogHandler {
  /// The least severity that is written.
  public var logLevel: Logger.Level
  /// The metadata of all entries.
  public var metadata: Logger.Metadata = [:]
  /// Adds metadata of the task.
  public var metadataProvider: Logger.MetadataProvider?
  private let label: String
  private let format: LogFormat
  private let writer: LogWriter

  /// Creates a handler.
  public init(label: String, format: LogFormat, level: Logger.Level, writer: LogWriter) {
    self.label = label
    self.format = format
    logLevel = level
    self.writer = writer
  }

  /// Creates a writer that reports dropped lines in a format.
  public static func writer(descriptor: Int32, format: LogFormat) -> LogWriter {
    LogWriter(descriptor: descriptor) { count in
      LogEntry(
        time: LogTime.now, level: .warning, label: "log",
        message: "lines were dropped: the reader is too slow",
        metadata: ["count": .stringConvertible(count)]
      ).line(format)
    }
  }

  /// A field of ``metadata``.
  public subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Hands a line over to the writer.
  public func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all.merge(own) { $1 } }
    writer.write(
      LogEntry(
        time: LogTime.now, level: event.level, label: label, message: "\(event.message)", metadata: all
      ).line(format))
  }
}
