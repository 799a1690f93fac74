import BenchmarkHarness
import Calotype
import CalotypeTestKit
import Dispatch
import FoundationEssentials
import Glibc

/// The cost of work as it grows, point by point, in CPU milliseconds of all threads.
struct GrowthCurve {
  /// `axis/work`, such as `pixels/decode jpeg`.
  let name: String
  /// The sizes of the work, in units of the axis.
  let sizes: [Int]
  /// The units of a point's cost: how often the work is done.
  var isPerUnit = false
  /// Prepares the work of a size, and returns what is measured: CPU milliseconds of one run.
  let measure: (_ size: Int) throws -> Double

  /// Measures the curves whose names begin so, and prints a line for each point as it is there.
  static func measureAll(_ names: [String]) throws {
    for curve in all where names.isEmpty || names.contains(where: { curve.name.hasPrefix($0) }) {
      for size in curve.sizes {
        // The best of three: what other programs add is no cost of the work.
        let runs = try (0..<3).map { _ in try curve.measure(size) }
        print("{\"curve\":\"\(curve.name)\",\"size\":\(size),\"milliseconds\":\(runs.min() ?? 0)}")
        fflush(nil)
      }
    }
  }

  /// All curves.
  static var all: [GrowthCurve] { pixels + requests + entries + urls + frames }

  /// CPU milliseconds of a piece of work that is repeated until they can be measured.
  static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    var count = 0
    let start = LoadFigures.cpuMilliseconds
    repeat {
      try work()
      count += 1
    } while LoadFigures.cpuMilliseconds - start < 30
    return (LoadFigures.cpuMilliseconds - start) / Double(count)
  }

  /// The same of work that suspends.
  static func asyncMilliseconds(_ work: @escaping @Sendable () async throws -> Void) throws -> Double {
    try milliseconds {
      let done = DispatchSemaphore(value: 0)
      let failure = Failure()
      Task.detached {
        do { try await work() } catch { failure.error = error }
        done.signal()
      }
      done.wait()
      if let error = failure.error { throw error }
    }
  }

  // Written before the semaphore is signalled, read after.
  private final class Failure: @unchecked Sendable {
    var error: (any Error)?
  }
}
