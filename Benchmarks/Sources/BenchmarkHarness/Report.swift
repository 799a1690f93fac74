/// Writes results, for people or for machines.
public enum Report {
  /// One aligned line per result under a heading: times, then memory, then quantities, then what was skipped and why.
  public static func table(_ results: [BenchmarkResult]) -> String {
    var times: [[String]] = []
    var memory: [[String]] = []
    var throughput: [[String]] = []
    var quantities: [[String]] = []
    var skipped: [[String]] = []
    for result in results {
      let verdict = result.verdict?.rawValue ?? ""
      switch result.outcome {
      case .measured(let it):
        times.append([
          result.name, decimal(it.milliseconds), it.limitName, decimal(it.limitMilliseconds),
          decimal(it.ratio),
          decimal(it.spread), bar(result.bar), verdict, it.byteCount.map(String.init) ?? "",
          it.limitByteCount.map(String.init) ?? "",
        ])
      case .memory(let it):
        memory.append([
          result.name, mebibytes(it.growth), mebibytes(it.output), decimal(it.overhead), bar(result.bar),
          verdict,
        ])
      case .throughput(let it):
        throughput.append([
          result.name, decimal(it.perSecond), it.limitName, decimal(it.limitPerSecond),
          mebibytes(it.peakBytes), mebibytes(it.limitPeakBytes),
        ])
      case .quantity(let it):
        quantities.append([
          result.name, decimal(it.value), it.unit, it.limitName, decimal(it.limit), decimal(it.ratio),
          bar(result.bar), verdict,
        ])
      case .skipped(let reason):
        skipped.append([result.name, reason])
      }
    }
    let heading = ["benchmark", "ms", "limit", "ms", "ratio", "±", "bar", "kept", "bytes", "limit's"]
    return [
      aligned(heading, times, leading: [0, 2]),
      aligned(["benchmark", "MiB at peak", "of output", "besides", "bar", "kept"], memory, leading: [0]),
      aligned(
        ["benchmark", "a second", "limit", "a second", "MiB at peak", "limit's"], throughput, leading: [0, 2]),
      aligned(
        ["benchmark", "amount", "unit", "limit", "amount", "ratio", "bar", "kept"], quantities,
        leading: [0, 2, 3]),
      aligned(["skipped", "because"], skipped, leading: [0, 1]),
    ].filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// One JSON object.
  public static func json(_ result: BenchmarkResult) -> String {
    var fields = ["\"name\":\(quoted(result.name))"]
    switch result.outcome {
    case .measured(let it):
      fields += [
        "\"ms\":\(decimal(it.milliseconds))", "\"limit\":\(quoted(it.limitName))",
        "\"limitMs\":\(decimal(it.limitMilliseconds))", "\"ratio\":\(decimal(it.ratio))",
        "\"spread\":\(decimal(it.spread))",
      ]
      if let count = it.byteCount { fields.append("\"bytes\":\(count)") }
      if let count = it.limitByteCount { fields.append("\"limitBytes\":\(count)") }
    case .memory(let it):
      fields += [
        "\"growth\":\(it.growth)", "\"output\":\(it.output)", "\"overheadMiB\":\(decimal(it.overhead))",
      ]
    case .throughput(let it):
      fields += [
        "\"perSecond\":\(decimal(it.perSecond))", "\"limit\":\(quoted(it.limitName))",
        "\"limitPerSecond\":\(decimal(it.limitPerSecond))", "\"peak\":\(it.peakBytes)",
        "\"limitPeak\":\(it.limitPeakBytes)",
      ]
    case .quantity(let it):
      fields += [
        "\"value\":\(decimal(it.value))", "\"unit\":\(quoted(it.unit))",
        "\"limit\":\(quoted(it.limitName))", "\"limitValue\":\(decimal(it.limit))",
        "\"ratio\":\(decimal(it.ratio))",
      ]
    case .skipped(let reason):
      fields.append("\"skipped\":\(quoted(reason))")
    }
    if result.bar != nil { fields.append("\"bar\":\(bar(result.bar))") }
    if let verdict = result.verdict { fields.append("\"kept\":\(verdict != .missed)") }
    return "{\(fields.joined(separator: ","))}"
  }

  private static func bar(_ bar: Bar?) -> String {
    switch bar {
    case nil: ""
    case .ratio(let value), .ratioWithoutMoreBytes(let value), .mebibytes(let value): decimal(value)
    }
  }

  /// Rows under a heading, in columns; those in `leading` begin at the left, numbers end at the right.
  public static func aligned(_ heading: [String], _ rows: [[String]], leading: Set<Int>) -> String {
    if rows.isEmpty { return "" }
    let rows = [heading] + rows
    let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let line = row.enumerated().map { column, text in
        let padding = String(repeating: " ", count: widths[column] - text.count)
        return leading.contains(column) ? text + padding : padding + text
      }.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  private static func mebibytes(_ byteCount: Int) -> String { decimal(Double(byteCount) / 1_048_576) }

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
