import Testing

@testable import CalotypeServing

@Suite("Generations of loads")
struct LoadGenerationsTests {
  @Test func theLastLoadCounts() {
    var loads = LoadGenerations()
    #expect(loads["a"] == 0)
    loads.record("a", at: 3)
    loads.record("a", at: 2)
    #expect(loads["a"] == 3)
  }

  @Test func nothingIsKeptBeforeThereWasAPurge() {
    var loads = LoadGenerations()
    loads.record("a", at: 0)
    #expect(loads.count == 0)
  }

  @Test func theOldestAreForgotten() {
    var loads = LoadGenerations(capacity: 3)
    for (index, source) in ["a", "b", "c", "d", "e", "f", "g"].enumerated() {
      loads.record(source, at: index + 1)
    }
    #expect(loads.count == 3)
    #expect(["d", "e", "f", "g"].map { loads[$0] } == [0, 5, 6, 7])
  }

  @Test func longNamesAreNotKept() {
    var loads = LoadGenerations()
    loads.record(String(repeating: "a", count: 5000), at: 1)
    #expect(loads.count == 0)
  }
}
