public import Logging

/// A log entry on its way to a line.
public struct LogEntry: Sendable {
  /// Most bytes of a line. A longer one is written without its metadata.
  public static let maxLineBytes = 32 << 10

  /// The present, in milliseconds since 1970.
  public static var now: Int64 { LogTime.now }

  let time: Int64
  let level: Logger.Level
  let label: String
  let message: String
  let fields: [LogField]

  /// Describes an entry.
  ///
  /// - Parameter time: Milliseconds since 1970.
  public init(
    time: Int64, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata = [:]
  ) {
    self.time = time
    self.level = level
    self.label = LogValue.cut(label)
    self.message = LogValue.cut(message)
    fields = LogField.list(of: metadata)
  }

  /// Describes an entry by its fields, in the order in which lines have them.
  ///
  /// - Parameter time: Milliseconds since 1970.
  public init(time: Int64, level: Logger.Level, label: String, message: String, fields: [LogField]) {
    self.time = time
    self.level = level
    self.label = label
    self.message = message
    self.fields = fields
  }

  private init(short entry: LogEntry) {
    (time, level, label, message) = (entry.time, entry.level, entry.label, entry.message)
    fields = [LogField(name: "truncated", value: .number("1"))]
  }

  /// Returns the line in a format, without its end and without control characters, which are escaped.
  public func line(_ format: LogFormat) -> String {
    let line = whole(format)
    return line.utf8.count <= Self.maxLineBytes ? line : LogEntry(short: self).whole(format)
  }

  private func whole(_ format: LogFormat) -> String {
    switch format {
    case .pretty: pretty
    case .structured: structured
    case .json: json(JSONNames.plain)
    case .gcp: json(JSONNames.googleCloud)
    }
  }

  private var pretty: String {
    let name = level.lineName.uppercased()
    var line =
      LogTime.text(of: time) + " " + name + String(repeating: " ", count: max(1, 7 - name.utf8.count))
    // Not quoted as a whole: messages are ours.
    var quoted = ""
    LogText.quote(message, to: &quoted)
    line += quoted.dropFirst().dropLast()
    for field in fields { append(field, to: &line) }
    return line
  }

  private var structured: String {
    var line = "time=" + LogTime.text(of: time) + " level=" + level.lineName + " msg="
    LogText.quote(message, to: &line)
    append(LogField(name: "logger", value: .text(label)), to: &line)
    for field in fields { append(field, to: &line) }
    return line
  }

  private func append(_ field: LogField, to line: inout String) {
    line += " "
    LogText.plain(field.name, to: &line)
    line += "="
    switch field.value {
    case .text(let text): LogText.plain(text, to: &line)
    case .number(let text): line += text
    case .list, .fields:
      var json = ""
      JSONNames.append(field.value, to: &json)
      line += json
    }
  }

  private func json(_ names: JSONNames) -> String {
    let own = [
      LogField(name: names.time, value: .text(LogTime.text(of: time))),
      LogField(name: names.level, value: .text(names.usesSeverity ? level.severity : level.lineName)),
      LogField(name: names.message, value: .text(message)),
      LogField(name: "logger", value: .text(label)),
    ]
    let others = names.arranged(fields).filter { field in !own.contains { $0.name == field.name } }
    var line = ""
    line.reserveCapacity(384)
    JSONNames.append(.fields(own + others), to: &line)
    return line
  }
}
