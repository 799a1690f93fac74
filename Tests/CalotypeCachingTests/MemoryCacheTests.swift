import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

@Suite struct MemoryCacheTests {
  private func key(_ number: Int) -> CacheKey { CacheKey("key \(number)") }

  @Test func storedValuesAreFound() {
    let cache = MemoryCache<String>(byteLimit: 100)
    #expect(cache.value(for: key(1)) == nil)
    #expect(cache.store("one", for: key(1), cost: 3) == .stored(evicted: 0))
    #expect(cache.value(for: key(1)) == "one")
    #expect(cache.contains(key(1)))
    #expect(!cache.contains(key(2)))
    let statistics = cache.statistics
    #expect((statistics.hits, statistics.misses) == (1, 1))
    #expect((statistics.bytes, statistics.count, statistics.byteLimit) == (3, 1, 100))
  }

  @Test func oldestLeavesFirst() {
    let cache = MemoryCache<Int>(byteLimit: 30)
    for number in 0..<3 { cache.store(number, for: key(number), cost: 10) }
    #expect(cache.store(3, for: key(3), cost: 20) == .stored(evicted: 2))
    #expect((0..<4).map { cache.contains(key($0)) } == [false, false, true, true])
    #expect(cache.statistics.bytes == 30)
    #expect(cache.statistics.evictions == 2)
  }

  @Test func lookedUpEntriesStay() {
    let cache = MemoryCache<Int>(byteLimit: 30)
    for number in 0..<3 { cache.store(number, for: key(number), cost: 10) }
    _ = cache.value(for: key(0))
    cache.store(3, for: key(3), cost: 10)
    #expect((0..<4).map { cache.contains(key($0)) } == [true, false, true, true])
    // New ones are on probation and leave before the one that was asked for.
    for number in 4..<20 { cache.store(number, for: key(number), cost: 10) }
    #expect(cache.contains(key(0)))
    // When all were looked up, one leaves nevertheless.
    for number in 0..<20 { _ = cache.value(for: key(number)) }
    #expect(cache.store(20, for: key(20), cost: 10) == .stored(evicted: 1))
    #expect(cache.statistics.count == 3)
  }

  @Test func containsIsNoLookUp() {
    let cache = MemoryCache<Int>(byteLimit: 20)
    cache.store(0, for: key(0), cost: 10)
    cache.store(1, for: key(1), cost: 10)
    _ = cache.contains(key(0))
    cache.store(2, for: key(2), cost: 10)
    #expect(!cache.contains(key(0)))
    #expect(cache.statistics.misses == 0)
  }

  @Test func replacingChangesTheCostAndEvictsNobodyElseWhenItFits() {
    let cache = MemoryCache<Int>(byteLimit: 30)
    for number in 0..<3 { cache.store(number, for: key(number), cost: 10) }
    #expect(cache.store(7, for: key(1), cost: 10) == .stored(evicted: 0))
    #expect(cache.value(for: key(1)) == 7)
    #expect(cache.statistics.count == 3)
    cache.store(8, for: key(1), cost: 1)
    #expect(cache.statistics.bytes == 21)
  }

  @Test func tooLargeValuesAreRejectedAndEndWhatTheKeyHad() {
    let cache = MemoryCache<Int>(byteLimit: 30, entryByteLimit: 15)
    cache.store(0, for: key(0), cost: 10)
    cache.store(1, for: key(1), cost: 10)
    #expect(cache.store(2, for: key(1), cost: 16) == .tooLarge(cost: 16, limit: 15))
    #expect(cache.value(for: key(1)) == nil)
    #expect(cache.value(for: key(0)) == 0)
    #expect(cache.statistics.rejections == 1)
    #expect(cache.statistics.bytes == 10)
    #expect(MemoryCache<Int>(byteLimit: 0).store(1, for: key(0), cost: 1).isStored == false)
    #expect(MemoryCache<Int>(byteLimit: 10, countLimit: 0).store(1, for: key(0), cost: 1).isStored == false)
  }

  @Test func hugeAndNegativeCostsDoNotOverflow() {
    let cache = MemoryCache<Int>(byteLimit: .max)
    #expect(cache.store(0, for: key(0), cost: .max).isStored)
    #expect(cache.store(1, for: key(1), cost: .max) == .stored(evicted: 1))
    #expect(cache.store(2, for: key(2), cost: -5) == .stored(evicted: 0))
    #expect(cache.statistics.bytes == .max)
  }

  @Test func countLimitHolds() {
    let cache = MemoryCache<Int>(byteLimit: 1000, countLimit: 2)
    for number in 0..<5 { cache.store(number, for: key(number), cost: 1) }
    #expect(cache.statistics.count == 2)
    #expect(cache.contains(key(3)) && cache.contains(key(4)))
    #expect(cache.store(9, for: key(4), cost: 1) == .stored(evicted: 0))
  }

  @Test func timeToLiveEnds() async {
    let time = ManualTime()
    let cache = MemoryCache<Int>(byteLimit: 100, timeToLive: .seconds(10), now: { time.instant })
    cache.store(0, for: key(0), cost: 10)
    cache.store(1, for: key(1), cost: 10, timeToLive: .seconds(20))
    cache.store(2, for: key(2), cost: 10)
    time.advance(by: .seconds(9))
    #expect(cache.value(for: key(0)) == 0)
    time.advance(by: .seconds(1))
    #expect(cache.value(for: key(0)) == nil)
    #expect(!cache.contains(key(2)))
    #expect(cache.value(for: key(1)) == 1)
    #expect(cache.statistics.expired == 1)
    #expect(cache.statistics.bytes == 20)
    #expect(await cache.removeExpired() == 1)
    #expect(cache.statistics.count == 1)
    cache.store(3, for: key(3), cost: 1, timeToLive: .seconds(Int64.max))
    time.advance(by: .seconds(1_000_000))
    #expect(cache.value(for: key(3)) == 3)
  }

  @Test func removalAndTrimming() async {
    let cache = MemoryCache<Int>(byteLimit: 100)
    for number in 0..<10 { cache.store(number, for: key(number), cost: 10) }
    #expect(cache.remove(key(0)))
    #expect(!cache.remove(key(0)))
    #expect(cache.trim(toBytes: 55) == 4)
    #expect((0..<10).filter { cache.contains(key($0)) } == [5, 6, 7, 8, 9])
    await cache.setLimits(byteLimit: 20)
    #expect(cache.statistics.bytes == 20)
    cache.removeAll()
    #expect(cache.statistics.count == 0)
    #expect(cache.statistics.bytes == 0)
    #expect(cache.store(1, for: key(1), cost: 20).isStored)
  }

  @Test func evictedValuesAreReleased() {
    final class Canary: Sendable {}
    let cache = MemoryCache<Canary>(byteLimit: 10)
    weak var first: Canary?
    do {
      let canary = Canary()
      first = canary
      cache.store(canary, for: key(0), cost: 10)
    }
    #expect(first != nil)
    cache.store(Canary(), for: key(1), cost: 10)
    #expect(first == nil)
  }

  @Test func shardBehavesLikeADictionary() {
    var random = SystemRandomNumberGenerator()
    var shard = MemoryShard(seed: random.next())
    var model: [Digest256: ObjectIdentifier] = [:]
    let digests = (0..<200).map { CacheKey("\($0)").digest }
    for _ in 0..<20_000 {
      let digest = digests[Int.random(in: 0..<200, using: &random)]
      if Bool.random(using: &random) {
        let token = MemoryBox()
        let old = shard.insert(.init(digest: digest, box: token, node: 0))
        #expect(
          old.map { ObjectIdentifier($0) } == model.updateValue(ObjectIdentifier(token), forKey: digest))
      } else {
        let old = shard.remove(digest)
        #expect(old.map { ObjectIdentifier($0.box) } == model.removeValue(forKey: digest))
      }
      #expect(shard.count == model.count)
    }
    for digest in digests {
      #expect(shard.entry(digest).map { ObjectIdentifier($0.box) } == model[digest])
    }
  }

  @Test func hammeredFromManyTasksItsBooksStayExact() async {
    let limit = 5_000
    let cache = MemoryCache<Int>(byteLimit: limit, countLimit: 150)
    let keys = (0..<300).map(key)
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for step in 0..<5_000 {
            let number = (step &* 7919 &+ task &* 104_729) % 300
            switch step % 11 {
            case 0...4:
              let found = cache.value(for: keys[number])
              #expect(found == nil || found == number)
            case 5...8: cache.store(number, for: keys[number], cost: number)
            case 9: cache.remove(keys[number])
            default:
              if step % 1000 == 10 { cache.trim(toBytes: limit / 2) }
              if step % 4000 == 32 { cache.removeAll() }
              let statistics = cache.statistics
              #expect(statistics.bytes <= limit && statistics.count <= 150)
            }
          }
        }
      }
    }
    let left = (0..<300).filter { cache.contains(keys[$0]) }
    #expect(cache.statistics.bytes == left.reduce(0, +))
    #expect(cache.statistics.count == left.count)
    #expect(!left.isEmpty)
  }
}
