/// Writes results, for people or for machines.
public enum Report {
  /// The names of the columns of ``line(_:before:)``.
  public static let heading =
    columns("benchmark", "ours", "theirs", "ratio", "±", "bar", "kept", "before") + "peer, bytes"

  /// A row: both amounts, their ratio and its spread, the bar, the ratio of an earlier run, and the peer.
  public static func line(_ result: BenchmarkResult, before: Double? = nil) -> String {
    let verdict = result.verdict?.rawValue ?? ""
    let old = before.map(decimal) ?? ""
    func row(_ ours: String, _ theirs: String, _ ratio: Double, _ spread: String, _ peer: String) -> String {
      columns(result.name, ours, theirs, decimal(ratio), spread, bar(result.bar), verdict, old) + peer
    }
    switch result.outcome {
    case .measured(let it):
      let bytes = it.byteCount.map { " \($0)" + (it.limitByteCount.map { " of \($0)" } ?? "") } ?? ""
      return row(
        decimal(it.milliseconds) + " ms", decimal(it.limitMilliseconds) + " ms", it.ratio, decimal(it.spread),
        it.limitName + bytes)
    case .memory(let it):
      return row(
        mebibytes(it.growth) + " MiB", mebibytes(it.output) + " MiB", it.overhead, "",
        "MiB besides the output")
    case .throughput(let it):
      return row(
        decimal(it.perSecond) + "/s", decimal(it.limitPerSecond) + "/s",
        it.perSecond / max(it.limitPerSecond, 1e-9), "",
        "\(it.limitName) \(mebibytes(it.peakBytes)) of \(mebibytes(it.limitPeakBytes)) MiB")
    case .quantity(let it):
      return row(
        "\(decimal(it.value)) \(it.unit)", "\(decimal(it.limit)) \(it.unit)", it.ratio, "", it.limitName)
    case .skipped(let reason):
      return columns(result.name, "", "", "", "", "", "", old) + "skipped: \(reason)"
    }
  }

  /// The names of the columns of ``beside(_:ratio:other:spread:isJSON:)``.
  public static let besideHeading = columns("benchmark", "this", "other", "change", "±", "", "", "")

  /// A row of two builds: the ratios of both to the same peer, and the change.
  public static func beside(
    _ name: String, ratio: Double, other: Double, spread: Double, isJSON: Bool
  ) -> String {
    let change = ratio / max(other, 1e-9)
    return isJSON
      ? "{\"name\":\(quoted(name)),\"ratio\":\(decimal(ratio)),\"other\":\(decimal(other)),\"change\":\(decimal(change)),\"spread\":\(decimal(spread))}"
      : columns(name, decimal(ratio), decimal(other), decimal(change), decimal(spread), "", "", "")
  }

  /// Columns of fixed widths, so that a row can be printed before the next one is known.
  private static func columns(_ name: String, _ cells: String...) -> String {
    let widths = [14, 14, 8, 7, 7, 7, 8]
    let padding = String(repeating: " ", count: max(1, 56 - name.count))
    return name + padding
      + zip(cells, widths).map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }.joined() + "  "
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
