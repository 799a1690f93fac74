import FoundationEssentials
import Testing

@testable import CalotypeCaching

@Suite struct EvictionPlanTests {
  private let now = Date(timeIntervalSince1970: 1_000_000)

  /// Records of 100 bytes, the first the oldest, an hour apart.
  private func entries(_ count: Int) -> [EvictionPlan.Entry] {
    (0..<count).map { index in
      EvictionPlan.Entry(
        digest: CacheKey("\(index)").digest, size: 100,
        accessed: now.addingTimeInterval(Double(index - count) * 3600), identity: UInt64(index))
    }
  }

  private func rules(bytes: Int = .max, count: Int = .max, maxAge: TimeInterval? = nil) -> EvictionPlan.Rules
  {
    EvictionPlan.Rules(
      maxAge: maxAge, byteLimit: bytes, countLimit: count, lowMarks: (bytes / 2, count / 2))
  }

  @Test func nothingGoesWithinTheLimits() {
    let plan = EvictionPlan(entries(10), rules: rules(bytes: 1000, count: 10), now: now)
    #expect(plan.evicted.isEmpty && plan.expired.isEmpty)
    #expect((plan.keptBytes, plan.keptCount) == (1000, 10))
  }

  @Test func theOldestGoDownToTheLowMark() {
    let plan = EvictionPlan(entries(10).shuffled(), rules: rules(bytes: 999), now: now)
    #expect(plan.evicted.map(\.identity) == [0, 1, 2, 3, 4, 5])
    #expect(plan.keptBytes == 400)
    let byCount = EvictionPlan(entries(10).shuffled(), rules: rules(count: 8), now: now)
    #expect(byCount.evicted.map(\.identity) == [0, 1, 2, 3, 4, 5])
  }

  @Test func theTooOldGoFirstAndMakeRoom() {
    let plan = EvictionPlan(entries(10), rules: rules(bytes: 500, maxAge: 5.5 * 3600), now: now)
    #expect(plan.expired.count == 5)
    #expect(plan.evicted.isEmpty)
  }

  @Test func freeingGoesBelowTheLimits() {
    var rules = rules(bytes: 10_000)
    rules.freeing = 250
    #expect(EvictionPlan(entries(10), rules: rules, now: now).evicted.map(\.identity) == [0, 1, 2])
    rules.freeing = .max
    #expect(EvictionPlan(entries(10), rules: rules, now: now).keptCount == 0)
  }

  @Test func lowMarksDoNotOverflow() {
    let marks = DiskCache.Configuration(byteLimit: .max, countLimit: -1, lowWatermark: 1).lowMarks
    #expect(marks.bytes == .max)
    #expect(marks.count == 0)
    #expect(DiskCache.Configuration(byteLimit: 100, lowWatermark: .nan).lowMarks.bytes == 90)
  }
}
