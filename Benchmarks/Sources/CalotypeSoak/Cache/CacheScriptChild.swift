import CalotypeCaching
import FoundationEssentials
import Glibc

/// What the children of ``CacheKills`` do until somebody kills them, and how they tell.
enum CacheScriptChild {
  static let keys = 16
  static let recordLimit = 9000

  static func configuration(_ folder: URL, byteLimit: Int) -> DiskCache.Configuration {
    DiskCache.Configuration(
      folder: folder, byteLimit: byteLimit, recordByteLimit: 10_000, maxAge: nil, threads: 1)
  }

  /// Stores, hands over, removes, empties and trims. Each step is said before (`s` store, `h` hand-over, `f` flush, `r`
  /// removal, `c` clear, `t` trim) and after (`d`).
  static func run(_ folder: String, byteLimit: Int, first: Int) async throws {
    let cache = DiskCache(
      configuration(URL(filePath: folder, directoryHint: .isDirectory), byteLimit: byteLimit))
    var random = SplitMix(seed: first)
    for number in first..<first + 30 {
      let index = Int(random.next() % UInt64(keys))
      let data = CacheContent.data(index, number, limit: recordLimit)
      let metadata = CacheContent.metadata(index, number)
      let key = CacheContent.key(index)
      switch random.next() % 40 {
      case 0:
        SoakChild.say("c")
        try await cache.removeAll()
      case 1, 2:
        SoakChild.say("t")
        try await cache.trim()
      case 3...7:
        SoakChild.say("r \(index)")
        try await cache.remove(key)
      case 8...13:
        SoakChild.say("h \(index) \(number)")
        try cache.handOver(data, metadata: metadata, for: key)
        continue
      case 14...15:
        SoakChild.say("f")
        try await cache.flush()
      default:
        SoakChild.say("s \(index) \(number)")
        try await cache.store(data, metadata: metadata, for: key)
      }
      SoakChild.say("d")
    }
    SoakChild.say("f")
    try await cache.flush()
    SoakChild.say("d")
  }

  /// For each key the numbers it may have after what was said; `nil` for no record.
  struct Expectation {
    private(set) var possible = [Set<Int?>](repeating: [nil], count: keys)
    /// The key that was stored last and confirmed, if nothing was removed since.
    private(set) var newest: Int?

    mutating func follow(_ lines: [Substring]) {
      var pending: [Int: Int] = [:]
      var current: [Substring] = []
      newest = nil
      for line in lines {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch words.first {
        case "s", "h":
          guard numbers.count == 2 else { continue }
          possible[numbers[0]].insert(numbers[1])
          if words[0] == "h" {
            pending[numbers[0]] = numbers[1]
            newest = nil
          }
        case "r":
          guard numbers.count == 1 else { continue }
          newest = nil
          possible[numbers[0]].insert(nil)
        case "c":
          newest = nil
          for index in possible.indices { possible[index].insert(nil) }
        case "d": confirm(current, &pending)
        default: break
        }
        current = words
      }
    }

    private mutating func confirm(_ words: [Substring], _ pending: inout [Int: Int]) {
      let numbers = words.dropFirst().compactMap { Int($0) }
      switch words.first {
      case "s":
        possible[numbers[0]] = [numbers[1]]
        pending[numbers[0]] = nil
        newest = numbers[0]
      case "r":
        possible[numbers[0]] = [nil]
        pending[numbers[0]] = nil
      case "c":
        for index in possible.indices { possible[index] = [nil] }
        pending = [:]
      case "f", "t":
        for (index, number) in pending { possible[index] = [number] }
        pending = [:]
      default: break
      }
    }

    /// From now on it is what was found.
    mutating func settle(_ index: Int, _ number: Int?) { possible[index] = [number] }
  }
}
