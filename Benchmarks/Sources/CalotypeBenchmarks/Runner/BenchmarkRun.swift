import BenchmarkHarness
import FoundationEssentials
import Glibc

/// Measures benchmarks one after the other, and prints each row when it is there.
struct BenchmarkRun {
  let rounds: Int
  let isJSON: Bool
  let last: LastResults

  /// - Returns: The number of rows that miss their bars.
  func run(_ benchmarks: [Benchmark]) throws -> Int {
    let progress = BenchmarkProgress(benchmarks.map { last.seconds(of: $0.name) })
    var missed = 0
    if !isJSON { print(Report.heading) }
    for (index, benchmark) in benchmarks.enumerated() {
      progress.show(index, benchmark.name)
      let start = ContinuousClock.now
      let results = try benchmark.run(rounds: rounds)
      let seconds = start.duration(to: .now) / .seconds(1)
      progress.note(index, seconds)
      for result in results {
        let before = last.ratio(of: result.name)
        print(isJSON ? Report.json(result) : Report.line(result, before: before))
        if result.verdict == .missed { missed += 1 }
      }
      fflush(nil)
      last.note(benchmark.name, seconds, results)
    }
    progress.end()
    try last.save()
    if !isJSON, missed > 0 { print("\(missed) \(missed == 1 ? "row misses its" : "rows miss their") bar") }
    return missed
  }
}
