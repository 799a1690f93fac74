import BenchmarkHarness
import CalotypeCaching
import CalotypeTestKit
import Glibc

extension Benchmark {
  /// The memory cache against NSCache and against the common form of an image cache, with URLs of 76 bytes as keys.
  static var cache: [Benchmark] {
    [
      hits(threads: 1, bar: .ratio(0.1)), hits(threads: 2, bar: .ratio(0.18)),
      hits(threads: 8, bar: .ratio(0.18)),
      hitsOfDictionary(threads: 1), hitsOfDictionary(threads: 8), flatness, contention,
      stores("equal costs", bar: .ratio(0.35)) { _ in 1 << 14 },
      stores("varied costs", bar: .ratio(0.35)) { AccessTrace.cost($0) },
      storesOfDictionary,
    ]
  }

  private static let hitCount = 1_600_000

  /// Hits of a thousand entries that fit.
  private static func hits(threads: Int, bar: Bar) -> Benchmark {
    let name = "cache/memory hit/\(threads) thread\(threads == 1 ? "" : "s")"
    return Benchmark(name: name, bar: bar) { rounds in
      let (cache, keys) = filled()
      let peer = FoundationCache(urls(1000))
      for index in 0..<1000 { peer.store(Cached(index), index, cost: 1) }
      // A sixteenth of the peer's, or it would take minutes; its part is held to as many.
      return Measurement.ratioOfTimes(name, to: "NSCache", rounds: rounds) {
        perHit(threads, hitCount) { cache.value(for: keys[$0].key) }
      } limitMilliseconds: {
        perHit(threads, hitCount / 8) { peer.value($0) }
      }
    }
  }

  private static func hitsOfDictionary(threads: Int) -> Benchmark {
    let name = "cache/memory hit/\(threads) thread\(threads == 1 ? "" : "s"), Dictionary"
    return Benchmark(name: name, bar: .ratio(1)) { rounds in
      let (cache, keys) = filled()
      let peer = LockedDictionaryCache(urls(1000))
      for index in 0..<1000 { peer.store(Cached(index), index, cost: 1) }
      return Measurement.ratioOfTimes(name, to: "Dictionary, list, pthread mutex", rounds: rounds) {
        perHit(threads, hitCount) { cache.value(for: keys[$0].key) }
      } limitMilliseconds: {
        perHit(threads, hitCount) { peer.value($0) }
      }
    }
  }

  /// What a hit costs when eight threads want hits at once, against one alone.
  private static var flatness: Benchmark {
    let name = "cache/memory hit/8 threads, 1 thread"
    return Benchmark(name: name, bar: .ratio(1.5)) { rounds in
      let (cache, keys) = filled()
      return Measurement.ratioOfTimes(name, to: "1 thread", rounds: rounds) {
        perHit(8, hitCount) { cache.value(for: keys[$0].key) }
      } limitMilliseconds: {
        perHit(1, hitCount) { cache.value(for: keys[$0].key) }
      }
    }
  }

  /// The worst case: all want the same entry.
  private static var contention: Benchmark {
    let name = "cache/memory hit/8 threads on one key"
    return Benchmark(name: name) { rounds in
      let (cache, keys) = filled()
      return Measurement.ratioOfTimes(name, to: "1 thread", rounds: rounds) {
        perHit(8, hitCount) { _ in cache.value(for: keys[7].key) }
      } limitMilliseconds: {
        perHit(1, hitCount) { _ in cache.value(for: keys[7].key) }
      }
    }
  }

  /// Stores of entries that are not there into a cache that is full: ten thousand entries.
  private static func stores(_ what: String, bar: Bar, cost: @escaping (Int) -> Int) -> Benchmark {
    let name = "cache/memory store with eviction/\(what)"
    return Benchmark(name: name, bar: bar) { rounds in
      let urls = urls(20_000)
      let keys = urls.map { CacheKey($0) }
      let values = (0..<20_000).map { Cached($0) }
      let limit = (0..<10_000).reduce(0) { $0 + cost($1) }
      let cache = MemoryCache<Cached>(byteLimit: limit)
      let peer = FoundationCache(urls, costLimit: limit)
      for index in 0..<10_000 {
        cache.store(values[index], for: keys[index], cost: cost(index))
        peer.store(values[index], index, cost: cost(index))
      }
      var (ours, theirs) = (10_000, 10_000)
      return Measurement.ratioOfTimes(name, to: "NSCache", rounds: rounds) {
        perCall(40_000) { _ in
          cache.store(values[ours], for: keys[ours], cost: cost(ours))
          ours = (ours + 1) % 20_000
        }
      } limitMilliseconds: {
        perCall(4_000) { _ in
          peer.store(values[theirs], theirs, cost: cost(theirs))
          theirs = (theirs + 1) % 20_000
        }
      }
    }
  }

  private static var storesOfDictionary: Benchmark {
    let name = "cache/memory store with eviction/Dictionary"
    return Benchmark(name: name) { rounds in
      let urls = urls(20_000)
      let keys = urls.map { CacheKey($0) }
      let values = (0..<20_000).map { Cached($0) }
      let cache = MemoryCache<Cached>(byteLimit: 10_000)
      let peer = LockedDictionaryCache(urls, costLimit: 10_000)
      var (ours, theirs) = (0, 0)
      return Measurement.ratioOfTimes(name, to: "Dictionary, list, pthread mutex", rounds: rounds) {
        perCall(40_000) { _ in
          cache.store(values[ours], for: keys[ours], cost: 1)
          ours = (ours + 1) % 20_000
        }
      } limitMilliseconds: {
        perCall(40_000) { _ in
          peer.store(values[theirs], theirs, cost: 1)
          theirs = (theirs + 1) % 20_000
        }
      }
    }
  }

  static func urls(_ count: Int) -> [String] {
    (0..<count).map {
      "https://images.example.com/photos/2024/08/summer/album-\(100_000 + $0)/image.jpeg?w=512"
    }
  }

  private static func filled() -> (MemoryCache<Cached>, [KeyHolder]) {
    let keys = urls(1000).map { CacheKey($0) }
    let cache = MemoryCache<Cached>(byteLimit: 1 << 20)
    for index in 0..<1000 { cache.store(Cached(index), for: keys[index], cost: 1) }
    return (cache, keys.map { KeyHolder($0) })
  }

  /// CPU nanoseconds of a look-up, of all threads; in the report they stand for a million of them, in milliseconds.
  static func perHit(_ threads: Int, _ count: Int, _ value: @escaping @Sendable (Int) -> Cached?)
    -> Double
  {
    perCall(threads: threads, count) { thread in
      var sum = 0
      // Each thread on a way of its own through the entries.
      var index = thread * 131
      for _ in 0..<count / threads {
        index += 379
        if index >= 1000 { index %= 1000 }
        sum &+= value(index)?.number ?? 1
      }
      return sum
    }
  }

  private static func perCall(_ count: Int, _ body: (Int) -> Void) -> Double {
    let start = clock()
    for index in 0..<count { body(index) }
    return Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9 / Double(count)
  }

  private static func perCall(threads: Int, _ count: Int, _ body: @escaping @Sendable (Int) -> Int) -> Double
  {
    let start = clock()
    ThreadTeam.run(threads) { _ = body($0) }
    return Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9 / Double(count)
  }
}

/// Somebody who holds a key that was made before, as a request does.
private final class KeyHolder: Sendable {
  let key: CacheKey

  init(_ key: CacheKey) {
    self.key = key
  }
}
