/// One of the tables of a ``MemoryCache``: open addressing with linear probing, keyed by digest.
///
/// Not generic, so that look-ups are compiled once with known layouts: values travel in boxes. Columns instead of
/// rows, so that a probe reads digests only and a hit retains nothing but its box.
struct MemoryShard: Sendable {
  typealias Box = any AnyObject & Sendable

  /// When an entry is too old, in nanoseconds on the cache's own scale; `Int64.max` for never.
  struct Times: Hashable, Sendable {
    /// From then on it is only for those who take what is stale.
    var stale = Int64.max
    /// From then on it is not there.
    var expires = Int64.max

    /// The first of both: before it, nothing else needs to be asked.
    var first: Int64 { min(stale, expires) }
  }

  struct Entry: Sendable {
    var digest: Digest256
    var box: Box
    var times = Times()
    /// The entry's place in the order of eviction.
    var node: Int
  }

  private struct Details: Sendable {
    var times = Times()
    var node: Int32 = 0
    /// Look-ups since the entry's turn last came, up to `mostMarks`.
    var marks: UInt8 = 0
  }

  /// For how many turns look-ups can keep an entry.
  static let mostMarks: UInt8 = 3

  private(set) var count = 0
  private(set) var hits = 0
  private(set) var misses = 0
  private(set) var stale = 0
  private var mask: Int
  private var digests: [Digest256]
  /// `nil` where a slot is free.
  private var boxes: [Box?]
  private var details: [Details]
  private let seed: UInt64

  /// - Parameter seed: A random number: nobody can choose keys that fall into one chain.
  init(seed: UInt64) {
    self.seed = seed
    (mask, digests, boxes, details) = Self.columns(16)
  }

  private static func columns(_ capacity: Int) -> (Int, [Digest256], [Box?], [Details]) {
    let none = Digest256(word0: 0, word1: 0, word2: 0, word3: 0)
    return (
      capacity - 1, Array(repeating: none, count: capacity), Array(repeating: nil, count: capacity),
      Array(repeating: Details(), count: capacity)
    )
  }

  /// Looks up and marks an entry. Counts as a hit; ``hitWasMiss(isStale:)`` takes that back.
  ///
  /// - Parameter isOver: Set to the first of its times.
  @inline(__always)
  mutating func lookUp(_ digest: Digest256, isOver: inout Int64) -> Box? {
    guard let index = index(of: digest) else {
      misses += 1
      return nil
    }
    hits += 1
    // Not written when full, so that the cache line of a popular entry stays shared.
    if details[index].marks < Self.mostMarks { details[index].marks += 1 }
    isOver = details[index].times.first
    return boxes[index]
  }

  /// What was found was too old.
  mutating func hitWasMiss(isStale: Bool) {
    hits -= 1
    misses += 1
    if isStale { stale += 1 }
  }

  /// What was missed was found elsewhere.
  mutating func missWasHit() {
    misses -= 1
    hits += 1
  }

  func entry(_ digest: Digest256) -> Entry? {
    index(of: digest).flatMap { entry(at: $0) }
  }

  func node(_ digest: Digest256) -> Int? {
    index(of: digest).map { Int(details[$0].node) }
  }

  func times(_ digest: Digest256) -> Times? {
    index(of: digest).map { details[$0].times }
  }

  /// Takes a mark of an entry, or all of them; removes the entry if it has none.
  /// - Returns: What was removed.
  mutating func removeUnlessMarked(_ digest: Digest256, takingAll: Bool) -> Entry? {
    guard let index = index(of: digest) else { return nil }
    guard details[index].marks > 0 else { return remove(at: index) }
    details[index].marks = takingAll ? 0 : details[index].marks - 1
    return nil
  }

  /// Changes when an entry becomes stale.
  mutating func setStale(_ digest: Digest256, at time: Int64) -> Bool {
    guard let index = index(of: digest) else { return false }
    details[index].times.stale = time
    return true
  }

  /// Adds an entry or replaces the one with its digest.
  /// - Returns: The value that was there.
  mutating func insert(_ entry: Entry) -> Box? {
    if let index = index(of: entry.digest) {
      let old = boxes[index]
      let marks = details[index].marks
      put(entry, at: index)
      // What is popular stays so when it is renewed.
      details[index].marks = marks
      return old
    }
    if (count + 1) * 2 > digests.count { grow() }
    put(entry, at: freeIndex(for: entry.digest))
    count += 1
    return nil
  }

  /// Removes an entry.
  mutating func remove(_ digest: Digest256) -> Entry? {
    index(of: digest).flatMap { remove(at: $0) }
  }

  private mutating func remove(at index: Int) -> Entry? {
    var hole = index
    guard let box = boxes[hole].take() else { return nil }
    let removed = Entry(
      digest: digests[hole], box: box, times: details[hole].times, node: Int(details[hole].node))
    // Close the gap, so that no chain is cut and no tombstones pile up.
    var next = (hole + 1) & mask
    while boxes[next] != nil {
      let home = home(of: digests[next])
      if (next &- home) & mask >= (next &- hole) & mask {
        digests[hole] = digests[next]
        boxes.swapAt(hole, next)
        details[hole] = details[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    count -= 1
    return removed
  }

  @inline(__always)
  private func home(of digest: Digest256) -> Int {
    let product = (digest.word0 ^ seed).multipliedFullWidth(by: digest.word1 ^ (seed >> 32 | seed << 32))
    return Int(truncatingIfNeeded: product.high ^ product.low) & mask
  }

  @inline(__always)
  private func index(of digest: Digest256) -> Int? {
    var index = home(of: digest)
    // At most half of the slots are taken: there is a free one to end at.
    while boxes[index] != nil {
      if digests[index] == digest { return index }
      index = (index + 1) & mask
    }
    return nil
  }

  private func freeIndex(for digest: Digest256) -> Int {
    var index = home(of: digest)
    while boxes[index] != nil { index = (index + 1) & mask }
    return index
  }

  private func entry(at index: Int) -> Entry? {
    boxes[index].map { box in
      Entry(digest: digests[index], box: box, times: details[index].times, node: Int(details[index].node))
    }
  }

  private mutating func put(_ entry: Entry, at index: Int) {
    digests[index] = entry.digest
    boxes[index] = entry.box
    details[index] = Details(times: entry.times, node: Int32(truncatingIfNeeded: entry.node))
  }

  private mutating func grow() {
    let (oldDigests, oldBoxes, oldDetails) = (digests, boxes, details)
    (mask, digests, boxes, details) = Self.columns(oldDigests.count * 2)
    for (old, box) in oldBoxes.enumerated() where box != nil {
      let index = freeIndex(for: oldDigests[old])
      digests[index] = oldDigests[old]
      boxes[index] = box
      details[index] = oldDetails[old]
    }
  }
}
