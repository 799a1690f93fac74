import Testing

@testable import CalotypeAdmission

/// 2 workers, 60 s of arrivals, jobs of 3–13 ms and one in ten of 80–240 ms, predictions off by up to a quarter, nine of ten
/// jobs from one source.
@Suite("A queue under open-loop load, simulated")
struct OverloadTests {
  static func simulate(_ factor: Double, seed: UInt64, quietIsMixed: Bool = true) -> QueueSimulation.Result {
    var load = QueueSimulation.Load(factor: factor)
    load.seed = seed
    load.quietIsMixed = quietIsMixed
    var simulation = QueueSimulation(load, AdmissionConfiguration(workers: 2, byteBudget: 700 << 20))
    let result = simulation.run()
    // No job is started when its predicted end lies behind its deadline.
    #expect(result.worstLateness <= .zero)
    // Half of the largest relative error of predictions, which partly cancel out, and the job that ends last.
    #expect(result.drain <= result.predictedDrain * 1.125 + .milliseconds(300))
    return result
  }

  @Test(arguments: [1, 3] as [UInt64]) func overloadDoesNotCostThroughput(seed: UInt64) throws {
    let results = [0.5, 1, 2, 4].map { Self.simulate($0, seed: seed) }
    let peak = try #require(results.map(\.goodput).max())
    #expect(peak > 0.9)
    #expect(results[3].goodput >= 0.95 * peak)
    // Below capacity nobody is refused.
    #expect(results[0].finished == results[0].offered)
    for result in results {
      // Nearly all that are refused know it at once; the others, when other sources send much that nobody could foresee.
      #expect(result.expired * 200 <= 3 * max(result.refusedAtOnce, 1000))
      #expect(result.late * 1000 <= result.finished)
      // The queue is bounded by predicted time: at most the longest wait and the jobs that the error hides.
      #expect(result.predictedDrain <= .seconds(2.5))
      // The quiet sources offer 0.4 of the capacity at most, less than their share, and are hardly ever refused.
      #expect(result.quietRefused * 200 <= result.quietOffered)
      #expect(result.percentile(0.5, of: result.quietWaits) <= .milliseconds(50))
      // Six times the longest job: some of them run, some of the own source went first.
      #expect(try #require(result.quietWaits.last) <= .milliseconds(6 * 240))
    }
  }

  /// A source that has light jobs alone waits for jobs that run, and not for the queue of the source that floods.
  @Test(arguments: [1, 2] as [UInt64]) func sourcesWithLightJobsWaitLittle(seed: UInt64) throws {
    let result = Self.simulate(4, seed: seed, quietIsMixed: false)
    #expect(result.quietRefused == 0)
    #expect(try #require(result.quietWaits.last) <= .milliseconds(240))
    #expect(result.percentile(0.99, of: result.quietWaits) <= .milliseconds(160))
  }
}
