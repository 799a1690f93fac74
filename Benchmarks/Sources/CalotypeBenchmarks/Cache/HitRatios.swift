import BenchmarkHarness
import CalotypeCaching
import CalotypeTestKit

/// How often the memory cache has what is asked for, beside other orders of eviction.
enum HitRatios {
  /// Percent of hits for each trace: entries of equal cost, then of costs from 16 KiB to 1 MiB.
  static func table() -> String {
    let traces = AccessTrace.all()
    return [false, true].map { isWeighted in
      let rows = traces.map { trace in
        let cost: (Int) -> Int = isWeighted ? { AccessTrace.cost($0) } : { _ in 1 }
        let capacity = isWeighted ? trace.byteCapacity : trace.capacity
        return [trace.name, trace.hasScans ? "yes" : ""]
          + ([
            CalotypePolicy(capacity: capacity), LRUPolicy(capacity: capacity),
            SecondChance(capacity: capacity),
            Sieve(capacity: capacity), S3FIFO(capacity: capacity),
          ] as [any CachePolicy]).map { policy in
            var policy = policy
            return percent(trace.keys.count { policy.request($0, cost: cost($0)) }, of: trace.keys.count)
          }
      }
      return Report.aligned(
        [
          isWeighted ? "hits, %, by bytes" : "hits, %, by count", "scans", "Calotype", "LRU", "second chance",
          "SIEVE", "S3-FIFO",
        ], rows, leading: [0, 1])
    }.joined(separator: "\n\n")
  }

  private static func percent(_ part: Int, of whole: Int) -> String {
    let hundredths = (part * 10_000 + whole / 2) / whole
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}

/// An order of eviction.
protocol CachePolicy {
  /// Asks for a key, and stores it if it is not there.
  /// - Returns: Whether it was there.
  mutating func request(_ key: Int, cost: Int) -> Bool
}

/// The cache itself.
struct CalotypePolicy: CachePolicy {
  private let cache: MemoryCache<Int>

  init(capacity: Int) {
    cache = MemoryCache(byteLimit: capacity)
  }

  mutating func request(_ key: Int, cost: Int) -> Bool {
    let key = CacheKey("\(key)")
    if cache.value(for: key) != nil { return true }
    cache.store(0, for: key, cost: cost)
    return false
  }
}

/// Whoever was asked for longest ago leaves first.
struct LRUPolicy: CachePolicy {
  private var model: LRUModel

  init(capacity: Int) {
    model = LRUModel(capacity: capacity)
  }

  mutating func request(_ key: Int, cost: Int) -> Bool { model.request(key, cost: cost) }
}
