import CalotypeTestKit
import Testing

@testable import CalotypeCaching

/// A memory cache that gives way at once.
@Suite struct MemoryReclaimTests {
  private func filled(_ count: Int = 10, cost: Int = 10) -> MemoryCache<Int> {
    let cache = MemoryCache<Int>(byteLimit: 1000)
    for number in 0..<count { cache.store(number, for: CacheKey("\(number)"), cost: cost) }
    return cache
  }

  @Test func asMuchAsIsAskedForGoesInTheOrderOfEviction() {
    let cache = filled()
    _ = cache.value(for: CacheKey("0"))
    #expect(cache.reclaim(bytes: 25) == 30)
    #expect(cache.usage == (70, 1000))
    // What was looked up stays.
    let left = (0..<10).filter { cache.contains(CacheKey("\($0)")) }
    #expect(left == [0, 4, 5, 6, 7, 8, 9])
    #expect(cache.statistics.evictions == 3)
    // The limit is what it was.
    #expect(cache.store(1, for: CacheKey("large"), cost: 900).isStored)
  }

  @Test func noMoreThanThereIs() {
    let cache = filled()
    #expect(cache.reclaim(bytes: 0) == 0)
    #expect(cache.reclaim(bytes: -5) == 0)
    #expect(cache.reclaim(bytes: .max) == 100)
    #expect(cache.reclaim(bytes: 1) == 0)
    #expect(cache.usage.bytes == 0)
  }

  @Test func valuesAreReleasedBeforeItReturns() {
    final class Value: Sendable {
      let counter: ManualCounter

      init(_ counter: ManualCounter) { self.counter = counter }
      deinit { counter.increment() }
    }
    let counter = ManualCounter()
    let cache = MemoryCache<Value>(byteLimit: 1000)
    for number in 0..<10 { cache.store(Value(counter), for: CacheKey("\(number)"), cost: 10) }
    #expect(cache.reclaim(bytes: 50) == 50)
    #expect(counter.count == 5)
  }

  @Test(.timeLimit(.minutes(1))) func whatIsFreedIsCountedOnce() async {
    let cache = MemoryCache<Int>(byteLimit: 100_000)
    let freed = await withTaskGroup(of: (stored: Int, freed: Int).self) { group in
      for task in 0..<8 {
        group.addTask {
          var (stored, freed) = (0, 0)
          for step in 0..<2000 {
            if step % 4 == 3 {
              freed += cache.reclaim(bytes: step % 50)
            } else {
              // Far below the limit: nothing else evicts.
              cache.store(step, for: CacheKey("\(task) \(step)"), cost: 1)
              stored += 1
            }
          }
          return (stored, freed)
        }
      }
      return await group.reduce((stored: 0, freed: 0)) { ($0.stored + $1.stored, $0.freed + $1.freed) }
    }
    #expect(freed.stored - freed.freed == cache.usage.bytes)
    #expect(cache.statistics.evictions == freed.freed)
  }

  @Test func usageFollowsThePressure() {
    let time = ManualTime()
    let cache = MemoryCache<Int>(byteLimit: 80, now: { time.instant })
    cache.table.apply(MemoryPressure(.critical))
    #expect(cache.usage.byteLimit == 20)
    cache.table.apply(MemoryPressure(.normal))
    time.advance(by: .seconds(5))
    #expect(cache.usage.byteLimit == 30)
  }
}
