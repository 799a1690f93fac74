import Testing

@testable import TiersSimulation

/// The simulation of nodes, with little traffic.
@Suite struct SimulationTests {
  @Test func keepsItsBars() {
    var simulation = Simulation()
    (simulation.seeds, simulation.isShort) = (1, true)
    var rows = 0
    let bars = simulation.run { row in
      rows += 1
      #expect(row.runs.allSatisfy { $0.requests > 1_000 && $0.answered == $0.requests })
    }
    #expect(rows == 12)
    for bar in bars { #expect(bar.holds, "\(bar.name): \(bar.value), at most \(bar.limit)") }
  }

  @Test func isTheSameForTheSameSeed() {
    var scenario = Scenario(name: "")
    (scenario.rate, scenario.keys, scenario.memory, scenario.purgedKeys) = (40, 300, 300, 30)
    scenario.end = 14
    let one = World(scenario).run()
    let two = World(scenario).run()
    #expect(one.fetches == two.fetches && one.commands == two.commands && one.gets == two.gets)
    scenario.seed = 2
    #expect(World(scenario).run().requests != one.requests)
  }

  /// Without coordination, the bars do not hold: they can fail.
  @Test func leasesAreWorthIt() {
    var scenario = Scenario(name: "")
    (scenario.rate, scenario.keys, scenario.memory, scenario.purgedKeys) = (60, 600, 600, 60)
    let with = World(scenario).run()
    scenario.coordinates = false
    let without = World(scenario).run()
    #expect(with.fetchesPerObject < 1.2)
    #expect(without.fetchesPerObject > 1.5)
    #expect(with.violations == 0 && without.violations == 0)
  }

  @Test func recentRecordsAreLeastRecentlyUsed() {
    var records = RecentRecords(keys: 5, limit: 2)
    records.store(1, position: 10)
    records.store(2, position: 20)
    #expect({ records.read(1) }() == 10)
    records.store(3, position: 30)
    #expect({ records.read(2) }() == nil)
    #expect({ records.read(1) }() == 10)
    records.store(1, position: 11)
    #expect({ records.read(1) }() == 11)
    #expect({ records.read(3) }() == 30)
  }

  @Test func writesWaitTheirTurn() {
    var queue = WriteLine<Int>()
    let begun = (0..<10).compactMap { queue.add($0) }
    #expect(begun == Array(0..<8))
    let next = [queue.ended(), queue.ended(), queue.ended()]
    #expect(next == [8, 9, nil])
    #expect(queue.running == 7)
    for number in 0..<2_000 { _ = queue.add(number) }
    #expect(queue.count == WriteLine<Int>.limit && queue.dropped > 0)
  }
}
