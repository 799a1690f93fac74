import CalotypeTestKit
import Testing

@testable import CalotypeCaching

@Suite struct MemorySizeVariantTests {
  private let family = CacheKey("picture")

  private func sizeVariant(_ width: Int, _ height: Int) -> MemoryTier.SizeVariant {
    MemoryTier.SizeVariant(of: family, width: width, height: height)
  }

  private func key(_ width: Int) -> CacheKey { CacheKey("picture \(width)") }

  @Test func theSmallestThatIsLargeEnoughServes() {
    let cache = MemoryCache<Int>(byteLimit: 100)
    for width in [800, 100, 400, 200] {
      cache.store(width, for: key(width), cost: 1, sizeVariant: sizeVariant(width, width / 2))
    }
    #expect(cache.value(coveringAtLeast: sizeVariant(150, 10)) == 200)
    #expect(cache.value(coveringAtLeast: sizeVariant(200, 100)) == 200)
    #expect(cache.value(coveringAtLeast: sizeVariant(100, 101)) == 400)
    #expect(cache.value(coveringAtLeast: sizeVariant(801, 1)) == nil)
    #expect(
      cache.value(coveringAtLeast: MemoryTier.SizeVariant(of: CacheKey("other"), width: 1, height: 1)) == nil)
    let statistics = cache.statistics
    #expect((statistics.hits, statistics.misses, statistics.coveringHits) == (3, 0, 3))
  }

  @Test func anExactLookUpNeverReturnsAnother() {
    let cache = MemoryCache<Int>(byteLimit: 100)
    cache.store(800, for: key(800), cost: 1, sizeVariant: sizeVariant(800, 800))
    #expect(cache.value(for: key(400)) == nil)
    #expect(cache.value(for: family) == nil)
    #expect(!cache.contains(key(400)))
  }

  @Test func whatIsRemovedOrTooOldDoesNotServe() {
    let time = ManualTime()
    let cache = MemoryCache<Int>(byteLimit: 100, now: { time.instant })
    cache.store(200, for: key(200), cost: 1, timeToLive: .seconds(1), sizeVariant: sizeVariant(200, 200))
    cache.store(400, for: key(400), cost: 1, freshFor: .seconds(1), sizeVariant: sizeVariant(400, 400))
    cache.store(800, for: key(800), cost: 1, sizeVariant: sizeVariant(800, 800))
    #expect(cache.value(coveringAtLeast: sizeVariant(10, 10)) == 200)
    time.advance(by: .seconds(1))
    #expect(cache.value(coveringAtLeast: sizeVariant(10, 10)) == 800)
    #expect(cache.value(coveringAtLeast: sizeVariant(10, 10), allowingStale: true) == 400)
    cache.remove(key(800))
    #expect(cache.value(coveringAtLeast: sizeVariant(10, 10)) == nil)
    // The same key again, without a size or with another one.
    cache.store(1, for: key(400), cost: 1)
    #expect(cache.value(coveringAtLeast: sizeVariant(10, 10), allowingStale: true) == nil)
    cache.store(2, for: key(400), cost: 1, sizeVariant: sizeVariant(50, 50))
    #expect(cache.value(coveringAtLeast: sizeVariant(51, 10)) == nil)
    #expect(cache.value(coveringAtLeast: sizeVariant(10, 50)) == 2)
  }
}
