import BenchmarkHarness
import Glibc

/// `calotype-benchmarks [--json] [--rounds N] [NAME-PREFIX]`
@main
enum Main {
  static func main() throws {
    var isJSON = false
    var rounds = 15
    var prefix = ""
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--json":
        isJSON = true
      case "--rounds":
        guard let text = arguments.popFirst(), let value = Int(text), value > 0 else {
          usage("--rounds needs a number of at least 1")
        }
        rounds = value
      case _ where argument.hasPrefix("-"):
        usage("unknown option \(argument)")
      default:
        prefix = argument
      }
    }
    var results: [Measurement] = []
    for benchmark in Benchmark.all where benchmark.name.hasPrefix(prefix) {
      let result = try benchmark.run(rounds)
      if isJSON { print(Report.json(result)) }
      results.append(result)
    }
    if !isJSON { print(Report.table(results)) }
  }

  private static func usage(_ problem: String) -> Never {
    let text =
      "calotype-benchmarks: \(problem)\nusage: calotype-benchmarks [--json] [--rounds N] [NAME-PREFIX]\n"
    _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(2)
  }
}
