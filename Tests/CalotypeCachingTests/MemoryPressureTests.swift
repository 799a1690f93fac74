import CalotypeTestKit
import Testing

@testable import CalotypeCaching

@Suite struct MemoryPressureTests {
  private let time = ManualTime()

  private func filled(byteLimit: Int? = 80, cost: Int = 1, count: Int = 80) -> MemoryCache<Int> {
    let cache = MemoryCache<Int>(byteLimit: byteLimit, now: { [time] in time.instant })
    for number in 0..<count { cache.store(number, for: CacheKey("\(number)"), cost: cost) }
    return cache
  }

  @Test func warningsHalveAndTheWorstEmpties() {
    let cache = filled()
    #expect(cache.statistics.pressure == nil)
    cache.table.apply(MemoryPressure(.warning))
    #expect(cache.statistics.bytes == 40)
    #expect(cache.statistics.byteLimit == 40)
    #expect(cache.statistics.byteLimitWithoutPressure == 80)
    #expect(cache.statistics.pressure == .warning)
    cache.table.apply(MemoryPressure(.critical))
    #expect((cache.statistics.bytes, cache.statistics.byteLimit) == (0, 20))
    #expect(!cache.store(1, for: CacheKey("large"), cost: 21).isStored)
  }

  @Test func theLimitRecoversInSteps() {
    let cache = filled()
    cache.table.apply(MemoryPressure(.critical))
    time.advance(by: .seconds(100))
    #expect(cache.statistics.byteLimit == 20)
    cache.table.apply(MemoryPressure(.normal))
    #expect(cache.statistics.byteLimit == 20)
    time.advance(by: .seconds(5))
    #expect(cache.statistics.byteLimit == 30)
    time.advance(by: .seconds(9))
    #expect(cache.statistics.byteLimit == 40)
    // Pressure again, before it is over.
    cache.table.apply(MemoryPressure(.warning))
    time.advance(by: .seconds(100))
    #expect(cache.statistics.byteLimit == 40)
    cache.table.apply(MemoryPressure(.normal))
    time.advance(by: .seconds(100))
    #expect(cache.store(1, for: CacheKey("all"), cost: 80).isStored)
    #expect(cache.statistics.byteLimit == 80)
  }

  @Test func theLimitFollowsThatOfTheControlGroup() async {
    let given = filled()
    given.table.apply(MemoryPressure(.normal, memoryLimit: 1000))
    #expect(given.statistics.byteLimit == 80)
    given.table.apply(MemoryPressure(.normal, memoryLimit: 500))
    #expect((given.statistics.byteLimit, given.statistics.bytes) == (40, 40))
    given.table.apply(MemoryPressure(.normal, memoryLimit: 4000))
    #expect(given.statistics.byteLimit == 80)
    await given.setLimits(byteLimit: 60)
    #expect(given.statistics.byteLimit == 60)
    let ownChoice = filled(byteLimit: nil)
    #expect(ownChoice.statistics.byteLimit == MemoryCache<Int>.defaultByteLimit)
    ownChoice.table.apply(MemoryPressure(.normal, memoryLimit: 100))
    #expect((ownChoice.statistics.byteLimit, ownChoice.statistics.bytes) == (25, 25))
    ownChoice.table.apply(MemoryPressure(.normal, memoryLimit: 400))
    #expect(ownChoice.statistics.byteLimit == 100)
    let huge = filled(byteLimit: .max, count: 1)
    huge.table.apply(MemoryPressure(.normal, memoryLimit: .max))
    huge.table.apply(MemoryPressure(.warning, memoryLimit: .max - 1))
    #expect(huge.statistics.byteLimit <= .max / 2)
  }

  @Test(.timeLimit(.minutes(1))) func aCacheFollowsUntilItIsCancelledOrTheSourceEnds() async throws {
    let cache = filled()
    let source = ManualMemoryPressure()
    source.report(MemoryPressure(.warning))
    let task = Task { await cache.follow(source) }
    try await eventually { cache.statistics.pressure == .warning }
    #expect(cache.statistics.bytes == 40)
    source.report(MemoryPressure(.critical))
    try await eventually { cache.statistics.pressure == .critical }
    #expect(cache.statistics.bytes == 0)
    task.cancel()
    await task.value
    #expect(cache.statistics.pressure == nil)
    time.advance(by: .seconds(100))
    #expect(cache.statistics.byteLimit == 80)
    let other = Task { await cache.follow(source) }
    source.finish()
    await other.value
    // What has ended already reports its last word only.
    await cache.follow(source)
    #expect(cache.statistics.pressure == nil)
  }

  @Test(.timeLimit(.minutes(1))) func limitsHoldAtEveryMoment() async {
    let cache = MemoryCache<Int>(byteLimit: 8000, countLimit: 150, now: { [time] in time.instant })
    let keys = (0..<300).map { CacheKey("\($0)", source: "\($0 % 10)") }
    await withTaskGroup { group in
      for task in 0..<6 {
        group.addTask { [time] in
          var random = SeededGenerator(seed: UInt64(task))
          for step in 0..<3000 {
            let number = Int.random(in: 0..<300, using: &random)
            let key = keys[number]
            switch Int.random(in: 0..<16, using: &random) {
            case 0...5: #expect(cache.value(for: key) ?? number == number)
            case 6...11:
              let sizeVariant = MemoryTier.SizeVariant(of: keys[number % 10], width: number, height: number)
              cache.store(
                number, for: key, cost: number, timeToLive: step % 3 == 0 ? .seconds(1) : nil,
                tags: step % 2 == 0 ? ["even"] : [], sizeVariant: step % 5 == 0 ? sizeVariant : nil)
            case 12: cache.remove(key)
            case 13: cache.removeAll(step % 100 == 0 ? .tag("even") : .source("\(number % 10)"))
            case 14:
              cache.table.apply(MemoryPressure(MemoryPressure.Level.allCases[number % 3]))
              time.advance(by: .milliseconds(100))
            default: cache.trim(toBytes: number * 10)
            }
            let statistics = cache.statistics
            #expect(statistics.bytes <= statistics.byteLimit && statistics.byteLimit <= 8000)
            #expect(statistics.count <= 150)
          }
        }
      }
    }
    let left = keys.indices.filter { index in
      let digest = keys[index].digest
      return cache.table.withShard(digest) { $0.node(digest) != nil }
    }
    #expect(cache.statistics.bytes == left.reduce(0, +))
    #expect(cache.statistics.count == left.count)
    #expect(cache.removeAll(.sourcePrefix("")) == left.count)
  }
}
