import CalotypeConformance
import FoundationEssentials

/// `calotype-server conformance`: holds the code that serves requests against vectors of another server.
enum ConformanceCommand {
  /// Returns the status of the process: 1 if a row differs without a listed reason, 2 for usage.
  static func run(_ arguments: [String]) async -> Int32 {
    guard (1...2).contains(arguments.count) else {
      ServerCommand.complain("usage: calotype-server conformance FILE.tsv [FOLDER-OF-PICTURES]")
      return 2
    }
    guard let data = try? Data(contentsOf: URL(filePath: arguments[0])) else {
      ServerCommand.complain("\(arguments[0]) cannot be read; check its path")
      return 2
    }
    let evaluator = ConformanceEvaluator(pictures: arguments.count > 1 ? arguments[1] : nil)
    let vectors = ConformanceVector.vectors(in: String(decoding: data, as: UTF8.self))
    let report = await ConformanceReport(vectors, evaluator: evaluator)
    for line in report.lines { print(line) }
    print(report.totals)
    for vector in report.unexplained {
      ServerCommand.complain("\(vector.id): \(vector.input) should be \(vector.expected)")
    }
    return report.unexplained.isEmpty ? 0 : 1
  }
}
