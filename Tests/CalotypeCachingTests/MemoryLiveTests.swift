import CalotypeTestKit
import Testing

@testable import CalotypeCaching

@Suite struct MemoryLiveTests {
  private final class Pixels: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  /// As an image is: a value around an object.
  private struct Picture: Sendable {
    let pixels: Pixels
    let caption: String
  }

  private let live = MemoryCache<Picture>.LiveValues { picture in
    let caption = picture.caption
    return { [weak pixels = picture.pixels] in pixels.map { Picture(pixels: $0, caption: caption) } }
  }

  private func key(_ number: Int) -> CacheKey { CacheKey("key \(number)") }

  private func store(_ number: Int, in cache: MemoryCache<Picture>, cost: Int = 10) -> Pixels {
    let pixels = Pixels(number)
    cache.store(Picture(pixels: pixels, caption: "of \(number)"), for: key(number), cost: cost)
    return pixels
  }

  @Test func whatIsHeldElsewhereIsFoundAgain() {
    let cache = MemoryCache(byteLimit: 10, liveValues: live)
    let held = store(1, in: cache)
    _ = store(2, in: cache)
    #expect(!cache.contains(key(1)))
    let found = cache.value(for: key(1))
    #expect(found?.pixels === held)
    #expect(found?.caption == "of 1")
    let statistics = cache.statistics
    #expect((statistics.hits, statistics.misses, statistics.revived) == (1, 0, 1))
    // It is in the cache again, and the other one is not.
    #expect(cache.contains(key(1)))
    #expect(statistics.bytes == 10)
    #expect(cache.value(for: key(2)) == nil)
  }

  @Test func whatIsReleasedIsNot() {
    let cache = MemoryCache(byteLimit: 10, liveValues: live)
    var held: Pixels? = store(1, in: cache)
    weak let pixels = held
    _ = store(2, in: cache)
    #expect(pixels != nil)
    held = nil
    #expect(pixels == nil)
    #expect(held == nil)
    #expect(cache.value(for: key(1)) == nil)
    #expect(cache.statistics.revived == 0)
  }

  @Test func withoutTheOptionNothingIsRemembered() {
    let cache = MemoryCache<Picture>(byteLimit: 10)
    let held = store(1, in: cache)
    _ = store(2, in: cache)
    withExtendedLifetime(held) { #expect(cache.value(for: key(1)) == nil) }
    #expect(cache.statistics.remembered == 0)
  }

  @Test func whatWasRemovedOrReplacedIsNotFound() {
    let cache = MemoryCache(byteLimit: 10, liveValues: live)
    var held = [store(1, in: cache), store(2, in: cache), store(3, in: cache), store(4, in: cache)]
    cache.remove(key(1))
    #expect(cache.value(for: key(1)) == nil)
    #expect(cache.removeAll(.source(key(2).text)) == 0)
    #expect(cache.value(for: key(2)) == nil)
    held.append(store(3, in: cache))
    held.append(store(5, in: cache))
    #expect(cache.value(for: key(3))?.pixels === held[4])
    cache.removeAll()
    #expect((1...5).allSatisfy { cache.value(for: key($0)) == nil })
  }

  @Test func timesHoldForWhatIsFoundAgain() {
    let time = ManualTime()
    let cache = MemoryCache(byteLimit: 10, liveValues: live, now: { time.instant })
    let pixels = Pixels(1)
    let picture = Picture(pixels: pixels, caption: "")
    cache.store(picture, for: key(1), cost: 10, timeToLive: .seconds(20), freshFor: .seconds(10))
    _ = store(2, in: cache)
    time.advance(by: .seconds(10))
    #expect(cache.value(for: key(1)) == nil)
    #expect(cache.value(for: key(1), allowingStale: true) != nil)
    _ = store(3, in: cache)
    cache.trim(toBytes: 0)
    time.advance(by: .seconds(10))
    #expect(cache.value(for: key(1), allowingStale: true) == nil)
    withExtendedLifetime(pixels) {}
  }

  @Test func whatIsRememberedIsBoundedAndSwept() {
    let cache = MemoryCache(byteLimit: 10, liveValues: live)
    for number in 0..<5000 { _ = store(number, in: cache) }
    #expect(cache.statistics.remembered <= 130)
    let few = MemoryCache<Picture>.LiveValues(limit: 8, recall: live.recall)
    let small = MemoryCache(byteLimit: 10, liveValues: few)
    let held = (0..<100).map { store($0, in: small) }
    #expect(small.statistics.remembered == 8)
    #expect(small.value(for: key(95))?.pixels === held[95])
    #expect(small.value(for: key(50)) == nil)
  }

  @Test func objectsNeedNoFunction() {
    let cache = MemoryCache<Pixels>(byteLimit: 0, liveValues: .references)
    let pixels = Pixels(1)
    // What never had a place is not remembered.
    #expect(!cache.store(pixels, for: key(1), cost: 1).isStored)
    #expect(cache.value(for: key(1)) == nil)
    let other = MemoryCache<Pixels>(byteLimit: 1, liveValues: .references)
    other.store(pixels, for: key(1), cost: 1)
    other.trim(toBytes: 0)
    #expect(other.value(for: key(1)) === pixels)
  }
}
