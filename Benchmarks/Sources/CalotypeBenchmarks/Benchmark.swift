import BenchmarkHarness

/// A comparison that can be run by name.
struct Benchmark {
  /// `facet/what/variant`, so that a prefix selects a group.
  let name: String
  /// Prepares its input, measures for a number of rounds, and lets go of the input.
  private let results: (_ rounds: Int) throws -> [BenchmarkResult]

  /// Several results of one preparation.
  init(name: String, results: @escaping (_ rounds: Int) throws -> [BenchmarkResult]) {
    self.name = name
    self.results = results
  }

  /// A measurement of time.
  init(name: String, bar: Bar? = nil, measure: @escaping (_ rounds: Int) throws -> Measurement) {
    self.name = name
    results = { [BenchmarkResult(name: name, bar: bar, outcome: .measured(try measure($0)))] }
  }

  /// A measurement of the CPU time and the wall time of the same runs: two results.
  init(
    name: String, bar: Bar?, wallBar: Bar?,
    measure: @escaping (_ rounds: Int) throws -> (cpu: Measurement, wall: Measurement)
  ) {
    self.name = name
    results = { rounds in
      let (cpu, wall) = try measure(rounds)
      return [
        BenchmarkResult(name: name, bar: bar, outcome: .measured(cpu)),
        BenchmarkResult(name: wall.name, bar: wallBar, outcome: .measured(wall)),
      ]
    }
  }

  /// A measurement of memory.
  init(name: String, bar: Bar, memory: @escaping () throws -> PeakMemory) {
    self.name = name
    results = { _ in [BenchmarkResult(name: name, bar: bar, outcome: .memory(try memory()))] }
  }

  /// Runs it, unless something that it needs is missing.
  func run(rounds: Int) throws -> [BenchmarkResult] {
    do {
      return try results(rounds)
    } catch let skipped as Skipped {
      return [BenchmarkResult(name: name, bar: nil, outcome: .skipped(reason: skipped.reason))]
    }
  }

  /// All benchmarks, in the order of the report.
  static var all: [Benchmark] {
    resizing + thumbnails + jpeg + png + webP + jxl + gif + avif + heif + bmp + frames + memory + cache
      + diskCache
      + loading
      + batch
      + pipeline + playback + isolation + load
  }
}
