import Testing

@testable import CalotypeAdmission

@Suite("A queue under open-loop load, simulated")
struct OverloadTests {
  static var configuration: AdmissionConfiguration {
    AdmissionConfiguration(workers: 2, byteBudget: 700 << 20)
  }

  static func run(_ factor: Double, seed: UInt64 = 1) -> QueueSimulation.Result {
    var load = QueueSimulation.Load(factor: factor)
    load.seed = seed
    var simulation = QueueSimulation(load, configuration)
    let result = simulation.run()
    let light = result.quietWaits
    print(
      "load \(factor): goodput \(result.goodput), finished \(result.finished) of \(result.offered),",
      "refused \(result.refusedAtOnce) at once and \(result.expired) later, late \(result.late),",
      "quiet p50 \(result.percentile(0.5, of: light)) p99 \(result.percentile(0.99, of: light))",
      "max \(light.last ?? .zero), quiet refused \(result.quietRefused) of \(result.quietOffered),",
      "all p50 \(result.percentile(0.5, of: result.allWaits)) p99 \(result.percentile(0.99, of: result.allWaits)),",
      "drain \(result.drain) of \(result.predictedDrain), peak \(result.peakWaiting), worst \(result.worstLateness)")
    return result
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func overloadDoesNotCostThroughput(seed: UInt64) {
    let results = [0.5, 1, 2, 4].map { Self.run($0, seed: seed) }
    let peak = results.map(\.goodput).max() ?? 0
    #expect(peak > 0.9)
    #expect((results.last?.goodput ?? 0) >= 0.95 * peak)
  }
}
