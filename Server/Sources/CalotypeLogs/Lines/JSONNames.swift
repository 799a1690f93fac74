/// The names that JSON lines have for the same things.
struct JSONNames: Sendable {
  let time: String
  let level: String
  let message: String
  let usesSeverity: Bool

  static let plain = JSONNames(time: "time", level: "level", message: "msg", usesSeverity: false)
  /// Those of Google Cloud Logging, which shows requests and traces of their own.
  static let googleCloud = JSONNames(time: "time", level: "severity", message: "message", usesSeverity: true)

  /// The names that describe a request, and those of `httpRequest`.
  private static let request = ["method": "requestMethod", "status": "status"]

  /// Fields with the names of this format.
  func arranged(_ fields: [LogField]) -> [LogField] {
    guard usesSeverity else { return fields }
    var (request, rest): ([LogField], [LogField]) = ([], [])
    for field in fields {
      if let name = Self.request[field.name] {
        request.append(LogField(name: name, value: field.value))
      } else if field.name == "duration_ms", case .number(let text) = field.value, let value = Double(text) {
        request.append(LogField(name: "latency", value: .text("\(value / 1000)s")))
      } else if field.name == "trace_id" {
        rest.append(LogField(name: "logging.googleapis.com/trace", value: field.value))
      } else {
        rest.append(field)
      }
    }
    if !request.isEmpty { rest.append(LogField(name: "httpRequest", value: .fields(request))) }
    return rest
  }

  /// Appends a value as JSON.
  static func append(_ value: LogValue, to line: inout String) {
    switch value {
    case .text(let text): LogText.quote(text, to: &line)
    case .number(let text): line += text
    case .list(let values):
      line += "["
      for (index, value) in values.enumerated() {
        if index > 0 { line += "," }
        append(value, to: &line)
      }
      line += "]"
    case .fields(let fields):
      line += "{"
      for (index, field) in fields.enumerated() {
        if index > 0 { line += "," }
        LogText.quote(field.name, to: &line)
        line += ":"
        append(field.value, to: &line)
      }
      line += "}"
    }
  }
}
