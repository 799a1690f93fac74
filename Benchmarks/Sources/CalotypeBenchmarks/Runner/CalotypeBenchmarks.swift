import ArgumentParser
import BenchmarkHarness
import FoundationEssentials

/// The command.
struct CalotypeBenchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calotype-benchmarks",
    abstract: "Measures Calotype beside named peers, in one run and in turns: only ratios are results.",
    discussion: """
      Rows appear as they are measured. The spread (±) is half the distance of the quartiles of the ratios of neighbouring \
      turns. Each run leaves its rows and times in a file, by which the next run estimates the rest and says what has changed.

      Exit status: 0; 1 with --check when a row misses its bar; 64 for wrong usage.
      """)

  @Argument(
    help: "The names to measure, by their beginnings, such as png or cache/memory; all if there is none.")
  var names: [String] = []
  @Option(help: "Pairs of turns of a measurement.")
  var rounds = 15
  @Flag(help: "Prints one JSON object for each row.")
  var json = false
  @Flag(help: "Ends with 1 when a row misses its bar by more than the spread.")
  var check = false
  @Flag(help: "Prints the names alone.")
  var list = false
  @Option(
    help: ArgumentHelp("Where the rows are left, and compared with those that are there.", valueName: "file"))
  var last = Peers.lastResults
  @Option(
    help: ArgumentHelp(
      "Another build of this program: each row is measured by both in turns, and the ratio of their ratios printed.",
      valueName: "program"))
  var beside: String?
  @Flag(help: "Prints the hit ratios of the memory cache and of other policies on traces, and nothing else.")
  var hitRatios = false
  @Flag(help: "Measures the cost of growing work, and prints one JSON object for each point.")
  var growth = false
  @Option(
    help: ArgumentHelp(
      "Does a piece of work for a counter of instructions; see --list-work.", valueName: "work"))
  var work: String?
  @Option(help: "How often it does that.")
  var times = 1
  @Flag(help: "Prints the names of the pieces of work.")
  var listWork = false

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds needs a number of at least 1") }
    guard times >= 0 else { throw ValidationError("--times needs a number of at least 0") }
  }

  func run() throws {
    let chosen = Benchmark.all.filter { benchmark in
      names.isEmpty || names.contains { benchmark.name.hasPrefix($0) }
    }
    if hitRatios { return print(HitRatios.table()) }
    if listWork { return CountedWork.all.forEach { print($0.name) } }
    if let work { return try CountedWork.run(work, times: times) }
    if growth { return try GrowthCurve.measureAll(names) }
    if list { return chosen.forEach { print($0.name) } }
    guard !chosen.isEmpty else {
      throw ValidationError("no benchmark has a name that begins with \(names.joined(separator: " or "))")
    }
    if let beside {
      return try BesideRun(program: beside, rounds: rounds, isJSON: json).run(chosen)
    }
    let run = BenchmarkRun(rounds: rounds, isJSON: json, last: LastResults(path: last))
    let missed = try run.run(chosen)
    if check, missed > 0 { throw ExitCode(1) }
  }
}
