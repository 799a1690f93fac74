import BenchmarkHarness
import FoundationEssentials

/// The file of the rows that were last measured, by their names.
final class LastResults {
  private struct Row: Codable {
    var benchmark: String
    var name: String
    var ratio: Double?
    var seconds: Double?
  }

  private let path: String
  private let earlier: [String: Row]
  private var rows: [String: Row]
  private var order: [String]

  /// Reads the file, if there is one.
  init(path: String) {
    self.path = path
    let text = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
    let rows = text.split(separator: 0x0A).compactMap { try? JSONDecoder().decode(Row.self, from: $0) }
    earlier = Dictionary(rows.map { ($0.name, $0) }) { $1 }
    self.rows = earlier
    order = rows.map(\.name)
  }

  /// The time that a benchmark took.
  func seconds(of benchmark: String) -> Double? {
    earlier.values.first { $0.benchmark == benchmark }?.seconds
  }

  /// The ratio of a row.
  func ratio(of name: String) -> Double? { earlier[name]?.ratio }

  /// Remembers the rows of a benchmark.
  func note(_ benchmark: String, _ seconds: Double, _ results: [BenchmarkResult]) {
    for result in results {
      if rows[result.name] == nil { order.append(result.name) }
      rows[result.name] = Row(
        benchmark: benchmark, name: result.name, ratio: result.outcome.ratio, seconds: seconds)
    }
  }

  /// Writes the file, and keeps the rows that were not measured now.
  func save() throws {
    var text = Data()
    for name in order {
      guard let row = rows[name] else { continue }
      text += try JSONEncoder().encode(row) + [0x0A]
    }
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, options: .atomic)
  }
}
