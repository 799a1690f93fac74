import CalotypeTestKit
import Testing

@testable import CalotypeCaching

@Suite struct MemoryFreshnessTests {
  private let time = ManualTime()
  private let key = CacheKey("key")

  private func cache(timeToLive: Duration? = nil) -> MemoryCache<Int> {
    MemoryCache(byteLimit: 100, timeToLive: timeToLive, now: { [time] in time.instant })
  }

  @Test func staleValuesAreKeptForThoseWhoAllowThem() {
    let cache = cache()
    cache.store(1, for: key, cost: 1, freshFor: .seconds(10))
    time.advance(by: .seconds(9))
    #expect(cache.value(for: key) == 1)
    time.advance(by: .seconds(1))
    #expect(cache.value(for: key) == nil)
    #expect(!cache.contains(key))
    #expect(cache.value(for: key, allowingStale: true) == 1)
    let statistics = cache.statistics
    #expect((statistics.hits, statistics.misses, statistics.stale) == (2, 1, 1))
    #expect((statistics.count, statistics.expired) == (1, 0))
  }

  @Test func refreshingMakesFreshAgain() {
    let cache = cache()
    #expect(!cache.refresh(key, freshFor: .seconds(1)))
    cache.store(1, for: key, cost: 1, freshFor: .seconds(10))
    time.advance(by: .seconds(20))
    #expect(cache.refresh(key, freshFor: .seconds(5)))
    time.advance(by: .seconds(4))
    #expect(cache.value(for: key) == 1)
    time.advance(by: .seconds(1))
    #expect(cache.value(for: key) == nil)
    #expect(cache.refresh(key, freshFor: nil))
    time.advance(by: .seconds(1_000_000))
    #expect(cache.value(for: key) == 1)
  }

  @Test func expiryComesBeforeFreshness() {
    let cache = cache(timeToLive: .seconds(10))
    cache.store(1, for: key, cost: 1, freshFor: .seconds(20))
    time.advance(by: .seconds(10))
    #expect(!cache.refresh(key, freshFor: .seconds(20)))
    #expect(cache.value(for: key, allowingStale: true) == nil)
    let statistics = cache.statistics
    #expect((statistics.expired, statistics.stale, statistics.misses) == (1, 0, 1))
    cache.store(2, for: key, cost: 1, freshFor: .zero)
    #expect(cache.value(for: key) == nil)
    #expect(cache.value(for: key, allowingStale: true) == 2)
  }

  @Test func theClockIsOnlyAskedAboutTimes() {
    let asked = ManualCounter()
    let cache = MemoryCache<Int>(
      byteLimit: 100,
      now: {
        asked.increment()
        return ContinuousClock.now
      })
    let before = asked.count
    cache.store(1, for: key, cost: 1)
    _ = cache.value(for: key)
    _ = cache.contains(key)
    _ = cache.statistics
    cache.refresh(key, freshFor: nil)
    #expect(cache.value(for: CacheKey("other")) == nil)
    #expect(asked.count - before <= 1)
    cache.refresh(key, freshFor: .seconds(1000))
    let timed = asked.count
    #expect(cache.value(for: key) == 1)
    #expect(asked.count == timed + 1)
  }
}
