import CalotypeTestKit
import Testing

@testable import CalotypeCaching

/// The order in which entries leave, held against LRU on traces.
@Suite struct MemoryEvictionTests {
  /// Hit ratios in percent of the cache and of LRU.
  private func ratios(_ trace: AccessTrace, byBytes: Bool) -> (ours: Double, lru: Double) {
    let capacity = byBytes ? trace.byteCapacity : trace.capacity
    let cache = MemoryCache<Int>(byteLimit: capacity)
    var lru = LRUModel(capacity: capacity)
    var keys: [Int: CacheKey] = [:]
    var (ours, theirs) = (0, 0)
    for number in trace.keys {
      let cost = byBytes ? AccessTrace.cost(number) : 1
      let key = keys[number] ?? CacheKey("\(number)")
      keys[number] = key
      if lru.request(number, cost: cost) { theirs += 1 }
      if let found = cache.value(for: key) {
        ours += 1
        if found != number { Issue.record("\(number) is \(found)") }
      } else {
        cache.store(number, for: key, cost: cost)
      }
    }
    let scale = 100 / Double(trace.keys.count)
    return (Double(ours) * scale, Double(theirs) * scale)
  }

  @Test(arguments: [false, true]) func scansDoNotPushOutWhatIsPopular(byBytes: Bool) {
    for trace in AccessTrace.all(length: 100_000) where trace.hasScans {
      let (ours, lru) = ratios(trace, byBytes: byBytes)
      #expect(ours >= lru + 5, "\(trace.name)")
    }
  }

  @Test(arguments: [false, true]) func noTraceIsWorseThanWithLRU(byBytes: Bool) {
    for trace in AccessTrace.all(length: 100_000) where !trace.hasScans {
      let (ours, lru) = ratios(trace, byBytes: byBytes)
      #expect(ours >= lru - 1, "\(trace.name)")
    }
  }

  @Test func countLimitsAndFreeEntriesHaveAnOrderToo() {
    let cache = MemoryCache<Int>(byteLimit: 1000, countLimit: 100)
    let keys = (0..<1000).map { CacheKey("\($0)") }
    for round in 0..<20 {
      for number in Array(0..<50) + Array(0..<50) where cache.value(for: keys[number]) == nil {
        cache.store(number, for: keys[number], cost: 0)
      }
      for number in 100..<400 { cache.store(number, for: keys[(number + round * 300) % 900 + 50], cost: 0) }
    }
    #expect(keys[..<50].count { cache.contains($0) } >= 45)
    #expect(cache.statistics.count == 100)
  }

  @Test func whatLeftIsRememberedWithinBounds() {
    var left = EvictedDigests(seed: 7)
    let digests = (0..<10_000).map { CacheKey("\($0)").digest }
    for digest in digests { left.insert(digest, cost: 3, byteLimit: 300, countLimit: 1000) }
    #expect(left.weight == 300)
    var isKept = digests.map { left.remove($0) }
    #expect(isKept.count { $0 } == 100)
    #expect(isKept.suffix(100).allSatisfy { $0 })
    for digest in digests { left.insert(digest, cost: 0, byteLimit: 300, countLimit: 10) }
    isKept = digests.map { left.remove($0) }
    #expect(isKept.count { $0 } == 10)
    left.removeAll()
    #expect(left.weight == 0)
  }
}
