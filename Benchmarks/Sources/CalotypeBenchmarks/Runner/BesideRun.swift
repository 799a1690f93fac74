import BenchmarkHarness
import FoundationEssentials
import Glibc

/// Measures each benchmark by this build and by another one, in turns.
///
/// Each build compares itself with the same peer, so that other work on the machine, which slows both down, cancels out.
struct BesideRun {
  /// The other build.
  let program: String
  let rounds: Int
  let isJSON: Bool

  private struct Row: Decodable {
    var name: String
    var ratio: Double?
  }

  /// Turns of each build, A B B A.
  private static var turns: [Bool] { [true, false, false, true] }

  func run(_ benchmarks: [Benchmark]) throws {
    if !isJSON { print(Report.besideHeading) }
    for benchmark in benchmarks {
      var ours: [String: [Double]] = [:]
      var theirs: [String: [Double]] = [:]
      for isOurs in Self.turns {
        for row in try measure(isOurs ? "/proc/self/exe" : program, benchmark.name) {
          guard let ratio = row.ratio else { continue }
          if isOurs {
            ours[row.name, default: []].append(ratio)
          } else {
            theirs[row.name, default: []].append(ratio)
          }
        }
      }
      for name in ours.keys.sorted() {
        guard let new = ours[name], let old = theirs[name], !old.isEmpty else { continue }
        let (mean, other) = (new.reduce(0, +) / Double(new.count), old.reduce(0, +) / Double(old.count))
        // The distance of the turns of one build.
        let spread =
          max((new.max() ?? 0) - (new.min() ?? 0), (old.max() ?? 0) - (old.min() ?? 0)) / max(other, 1e-9)
        print(Report.beside(name, ratio: mean, other: other, spread: spread, isJSON: isJSON))
      }
      fflush(nil)
    }
  }

  /// The rows of a benchmark, measured by a build.
  private func measure(_ program: String, _ name: String) throws -> [Row] {
    let child = try ChildProcess(
      program, arguments: ["--json", "--rounds", "\(max(1, rounds / 3))", "--last", "/dev/null", name])
    var rows: [Row] = []
    while let line = try? child.read() {
      // The names of others may begin like this one.
      if let row = try? JSONDecoder().decode(Row.self, from: Data(line.utf8)), row.name.hasPrefix(name) {
        rows.append(row)
      }
    }
    return rows
  }
}
