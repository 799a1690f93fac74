import BenchmarkHarness

/// A comparison that can be run by name.
struct Benchmark {
  /// `facet/what/variant`, so that a prefix selects a group.
  let name: String
  /// Prepares its input, measures for a number of rounds, and lets go of the input.
  let run: (_ rounds: Int) throws -> Measurement

  /// All benchmarks, in the order of the report.
  static var all: [Benchmark] { resizing }
}
