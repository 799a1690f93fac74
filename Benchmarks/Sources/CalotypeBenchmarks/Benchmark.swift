import BenchmarkHarness

/// A comparison that can be run by name.
struct Benchmark {
  /// `facet/what/variant`, so that a prefix selects a group.
  let name: String
  /// What it has to keep.
  let bar: Bar?
  /// Prepares its input, measures for a number of rounds, and lets go of the input.
  private let outcome: (_ rounds: Int) throws -> Outcome

  /// A measurement of time.
  init(name: String, bar: Bar? = nil, measure: @escaping (_ rounds: Int) throws -> Measurement) {
    self.name = name
    self.bar = bar
    outcome = { .measured(try measure($0)) }
  }

  /// A measurement of memory.
  init(name: String, bar: Bar, memory: @escaping () throws -> PeakMemory) {
    self.name = name
    self.bar = bar
    outcome = { _ in .memory(try memory()) }
  }

  /// Runs it, unless something that it needs is missing.
  func run(rounds: Int) throws -> BenchmarkResult {
    do {
      return BenchmarkResult(name: name, bar: bar, outcome: try outcome(rounds))
    } catch let skipped as Skipped {
      return BenchmarkResult(name: name, bar: bar, outcome: .skipped(reason: skipped.reason))
    }
  }

  /// All benchmarks, in the order of the report.
  static var all: [Benchmark] { resizing + thumbnails + jpeg + png + webP + gif + frames + memory }
}
