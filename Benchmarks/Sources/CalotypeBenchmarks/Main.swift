import BenchmarkHarness
import Glibc

/// `calotype-benchmarks [--json] [--check] [--rounds N] [NAME-PREFIX]`, or `calotype-benchmarks --hit-ratios`
@main
enum Main {
  static func main() throws {
    var isJSON = false
    var checks = false
    var rounds = 15
    var prefix = ""
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--json":
        isJSON = true
      case "--check":
        checks = true
      case "--rounds":
        guard let text = arguments.popFirst(), let value = Int(text), value > 0 else {
          usage("--rounds needs a number of at least 1")
        }
        rounds = value
      case "--hit-ratios":
        return print(HitRatios.table())
      case "--decode-once":
        // The child of a memory benchmark.
        guard let file = arguments.popFirst() else { usage("--decode-once needs a file") }
        return print(try Benchmark.decodeOnce(file))
      case "--thumbnail-once":
        guard let file = arguments.popFirst() else { usage("--thumbnail-once needs a file") }
        return print(try Benchmark.thumbnailOnce(file))
      case "--heif-once":
        guard let file = arguments.popFirst() else { usage("--heif-once needs a file") }
        return print(try Benchmark.heifOnce(file))
      case "--load-once":
        // The child of a benchmark under load.
        guard let name = arguments.popFirst() else { usage("--load-once needs a case") }
        LoadChild.run(name, Array(arguments))
      case _ where argument.hasPrefix("-"):
        usage("unknown option \(argument)")
      default:
        prefix = argument
      }
    }
    var results: [BenchmarkResult] = []
    for benchmark in Benchmark.all where benchmark.name.hasPrefix(prefix) {
      let measured = try benchmark.run(rounds: rounds)
      if isJSON {
        for result in measured { print(Report.json(result)) }
        fflush(nil)
      }
      results += measured
    }
    if !isJSON { print(Report.table(results)) }
    if checks, results.contains(where: { $0.verdict == .missed }) { exit(1) }
  }

  private static func usage(_ problem: String) -> Never {
    let text = """
      calotype-benchmarks: \(problem)
      usage: calotype-benchmarks [--json] [--check] [--rounds N] [NAME-PREFIX]
             calotype-benchmarks --hit-ratios

      """
    _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(2)
  }
}
