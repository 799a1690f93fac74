/// Writes measurements, for people or for machines.
public enum Report {
  /// One aligned line per measurement, under a heading.
  public static func table(_ measurements: [Measurement]) -> String {
    let rows =
      [["benchmark", "ms", "limit", "ms", "ratio", "±"]]
      + measurements.map {
        [
          $0.name, decimal($0.milliseconds), $0.limitName, decimal($0.limitMilliseconds), decimal($0.ratio),
          decimal($0.spread),
        ]
      }
    let widths = (0..<6).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, text in
        let padding = String(repeating: " ", count: widths[column] - text.count)
        return column == 0 || column == 2 ? text + padding : padding + text
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  /// One JSON object.
  public static func json(_ measurement: Measurement) -> String {
    let fields = [
      "\"name\":\(quoted(measurement.name))", "\"ms\":\(decimal(measurement.milliseconds))",
      "\"limit\":\(quoted(measurement.limitName))", "\"limitMs\":\(decimal(measurement.limitMilliseconds))",
      "\"ratio\":\(decimal(measurement.ratio))", "\"spread\":\(decimal(measurement.spread))",
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  /// Three decimals, without a locale.
  private static func decimal(_ value: Double) -> String {
    let thousandths = Int((abs(value) * 1000).rounded())
    let fraction = String(1000 + thousandths % 1000).dropFirst()
    return "\(value < 0 ? "-" : "")\(thousandths / 1000).\(fraction)"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      default: scalar.value < 0x20 ? " " : String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}
