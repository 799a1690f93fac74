import Glibc

/// Requests that a cache gets, made from a seed: the same on every machine and in every run.
///
/// Contents that are popular to different degrees (Zipf), scans of entries that are asked for once, loops, and users
/// who scroll: whatever is said about an order of eviction is said about such traces.
public struct AccessTrace: Sendable {
  /// The kind of trace.
  public let name: String
  /// Whether much of it is asked for once only, between what is asked for often.
  public let hasScans: Bool
  /// Number of entries a cache is meant to hold while it sees the trace.
  public let capacity: Int
  /// The keys, in the order of access.
  public let keys: [Int]

  /// The cost of an entry: 16 KiB to 1 MiB, uniform on a logarithmic scale.
  public static func cost(_ key: Int) -> Int {
    var random = SeededGenerator(seed: UInt64(bitPattern: Int64(key)) &+ 77)
    return Int(16_384 * pow(64, random.unit()))
  }

  /// The bytes of as many entries as the capacity.
  public var byteCapacity: Int {
    let different = Set(keys)
    return different.reduce(0) { $0 + Self.cost($1) } / different.count * capacity
  }

  /// All traces.
  ///
  /// - Parameter length: Requests in each.
  public static func all(length: Int = 200_000) -> [AccessTrace] {
    zipf(length) + scans(length) + loops(length) + movingSets(length) + scrolling(length)
  }

  private static func zipf(_ length: Int) -> [AccessTrace] {
    [0.6, 0.8, 1.0, 1.2].map { skew in
      var random = SeededGenerator(seed: 1)
      let popularity = Zipf(count: 10_000, skew: skew)
      return trace("zipf \(skew)") { (0..<length).map { _ in popularity.next(&random) } }
    }
  }

  private static func scans(_ length: Int) -> [AccessTrace] {
    let shapes: [(Double, Int, Int)] = [
      (0.8, 4000, 2000), (1.0, 4000, 2000), (1.2, 4000, 2000), (1.0, 1000, 1000), (1.0, 20_000, 5000),
      (1.0, 10_000, 1000), (1.0, 1, 1),
    ]
    return shapes.map { skew, run, scan in
      var random = SeededGenerator(seed: 2)
      let popularity = Zipf(count: 10_000, skew: skew)
      return trace("zipf \(skew), \(run) in turn with a scan of \(scan)", hasScans: true) {
        var keys: [Int] = []
        var once = 1_000_000
        while keys.count < length {
          keys += (0..<run).map { _ in popularity.next(&random) }
          keys += once..<once + scan
          once += scan
        }
        return keys
      }
    }
  }

  private static func loops(_ length: Int) -> [AccessTrace] {
    [0.8, 1.05, 1.5, 3].map { size in
      trace("loop of \(size) capacities") { (0..<length).map { $0 % Int(1000 * size) } }
    }
  }

  private static func movingSets(_ length: Int) -> [AccessTrace] {
    let drifts = [10, 40, 200].map { step in
      var random = SeededGenerator(seed: 4)
      let popularity = Zipf(count: 10_000, skew: 1)
      return trace("zipf 1.0 of the newest, one more every \(step)") {
        (0..<length).map { 100_000 + $0 / step - popularity.next(&random) }
      }
    }
    var random = SeededGenerator(seed: 5)
    let popularity = Zipf(count: 900, skew: 0.5)
    let phases = trace("another set every 5000") {
      (0..<length).map { $0 / 5000 * 10_000 + popularity.next(&random) }
    }
    return drifts + [phases]
  }

  private static func scrolling(_ length: Int) -> [AccessTrace] {
    let turns = [300, 700, 950].map { span in
      trace("\(span) there and back") {
        var keys: [Int] = []
        while keys.count < length {
          let first = keys.count / 2
          keys += first..<first + span
          keys += (first..<first + span).reversed()
        }
        return keys
      }
    }
    let twice = [300, 900].map { distance in
      trace("each twice, \(distance) apart") {
        (0..<length / 2).flatMap { $0 < distance ? [$0] : [$0, $0 - distance] }
      }
    }
    var random = SeededGenerator(seed: 6)
    let walk = trace("a page of 12 that wanders", capacity: 250) {
      var keys: [Int] = []
      var first = 100_000
      while keys.count < length {
        first += Int(random.next() % 41) - 19
        keys += first..<first + 12
      }
      return keys
    }
    return turns + twice + [walk]
  }

  private static func trace(
    _ name: String, hasScans: Bool = false, capacity: Int = 1000, _ keys: () -> [Int]
  ) -> AccessTrace {
    AccessTrace(name: name, hasScans: hasScans, capacity: capacity, keys: keys())
  }
}

/// Ranks, of which the first is the most popular.
private struct Zipf {
  private let cumulative: [Double]

  init(count: Int, skew: Double) {
    var sum = 0.0
    let sums = (1...count).map { rank in
      sum += pow(Double(rank), -skew)
      return sum
    }
    cumulative = sums.map { $0 / sum }
  }

  func next(_ random: inout SeededGenerator) -> Int {
    let wanted = random.unit()
    var (low, high) = (0, cumulative.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
