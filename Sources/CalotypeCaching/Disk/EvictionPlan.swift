import FoundationEssentials

/// Which records go, decided from a list of all of them.
struct EvictionPlan: Sendable {
  struct Entry: Sendable {
    var digest: Digest256
    var size: Int
    var accessed: Date
    var identity: UInt64
  }

  struct Rules: Sendable {
    /// Seconds since the last access, or `nil`.
    var maxAge: TimeInterval?
    var byteLimit: Int
    var countLimit: Int
    /// What is left at most once a limit was passed.
    var lowMarks: (bytes: Int, count: Int)
    /// Go below what is there by so many bytes, limits or not.
    var freeing = 0
  }

  private(set) var expired: [Entry] = []
  /// Least recently used first.
  private(set) var evicted: [Entry] = []
  private(set) var keptBytes = 0
  private(set) var keptCount = 0

  /// Decides; O(n log n) when a limit is passed, otherwise O(n).
  init(_ entries: [Entry], rules: Rules, now: Date) {
    var live: [Entry] = []
    live.reserveCapacity(entries.count)
    for entry in entries {
      if let maxAge = rules.maxAge, now.timeIntervalSince(entry.accessed) > maxAge {
        expired.append(entry)
      } else {
        live.append(entry)
        keptBytes += entry.size
      }
    }
    keptCount = live.count
    var target = (bytes: Int.max, count: Int.max)
    if keptBytes > rules.byteLimit || keptCount > rules.countLimit {
      target = rules.lowMarks
    }
    if rules.freeing > 0 {
      target.bytes = min(target.bytes, max(0, keptBytes - rules.freeing))
    }
    guard keptBytes > target.bytes || keptCount > target.count else { return }
    live.sort { ($0.accessed, $0.identity) < ($1.accessed, $1.identity) }
    for entry in live {
      guard keptBytes > target.bytes || keptCount > target.count else { break }
      evicted.append(entry)
      keptBytes -= entry.size
      keptCount -= 1
    }
  }
}
