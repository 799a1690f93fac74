/// One of the tables of a ``MemoryCache``: open addressing with linear probing, keyed by digest.
///
/// Not generic, so that look-ups are compiled once with known layouts: values travel in boxes.
struct MemoryShard: Sendable {
  struct Entry: Sendable {
    var digest: Digest256
    var box: any AnyObject & Sendable
    /// Nanoseconds on the cache's own scale; `Int64.max` for never.
    var expires: Int64
    /// The entry's place in the order of eviction.
    var node: Int
    /// Looked up since the clock hand last came by.
    var referenced = false
  }

  private(set) var count = 0
  var hits = 0
  var misses = 0
  private var slots: [Entry?] = Array(repeating: nil, count: 16)
  private let seed: UInt64

  /// - Parameter seed: A random number: nobody can choose keys that fall into one chain.
  init(seed: UInt64) {
    self.seed = seed | 1
  }

  /// Looks up and marks an entry; `isExpired` is only asked when there is a time to compare.
  mutating func lookUp(_ digest: Digest256, now: () -> Int64) -> (
    box: (any AnyObject & Sendable)?, expired: Bool
  ) {
    guard let index = index(of: digest), let entry = slots[index] else {
      misses += 1
      return (nil, false)
    }
    if entry.expires != .max, entry.expires <= now() {
      misses += 1
      return (nil, true)
    }
    hits += 1
    if !entry.referenced { slots[index]?.referenced = true }
    return (entry.box, false)
  }

  func entry(_ digest: Digest256) -> Entry? {
    index(of: digest).flatMap { slots[$0] }
  }

  /// Clears the mark of an entry.
  /// - Returns: Whether it was set.
  mutating func clearReference(_ digest: Digest256) -> Bool {
    guard let index = index(of: digest), slots[index]?.referenced == true else { return false }
    slots[index]?.referenced = false
    return true
  }

  /// Adds an entry or replaces the one with its digest.
  /// - Returns: The value that was there.
  mutating func insert(_ entry: Entry) -> (any AnyObject & Sendable)? {
    if let index = index(of: entry.digest) {
      let old = slots[index]?.box
      slots[index] = entry
      return old
    }
    if (count + 1) * 2 > slots.count { grow() }
    place(entry)
    count += 1
    return nil
  }

  /// Removes an entry.
  mutating func remove(_ digest: Digest256) -> Entry? {
    guard var hole = index(of: digest) else { return nil }
    let removed = slots[hole]
    // Close the gap, so that no chain is cut and no tombstones pile up.
    let mask = slots.count - 1
    var next = (hole + 1) & mask
    while let entry = slots[next] {
      let home = home(of: entry.digest)
      if (next &- home) & mask >= (next &- hole) & mask {
        slots[hole] = entry
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = nil
    count -= 1
    return removed
  }

  private func home(of digest: Digest256) -> Int {
    let product = (digest.word0 ^ seed).multipliedFullWidth(by: digest.word1 ^ seed &* 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low) & (slots.count - 1)
  }

  private func index(of digest: Digest256) -> Int? {
    let mask = slots.count - 1
    var index = home(of: digest)
    // At most half of the slots are taken: there is an empty one to end at.
    while let found = slots[index]?.digest {
      if found == digest { return index }
      index = (index + 1) & mask
    }
    return nil
  }

  private mutating func place(_ entry: Entry) {
    let mask = slots.count - 1
    var index = home(of: entry.digest)
    while slots[index] != nil { index = (index + 1) & mask }
    slots[index] = entry
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: nil, count: old.count * 2)
    for case let entry? in old { place(entry) }
  }
}
