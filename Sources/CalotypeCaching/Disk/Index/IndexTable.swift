import FoundationEssentials

/// The records of a folder by digest: contiguous entries, as in the file, and a hash table of their positions with open
/// addressing and linear probing.
struct IndexTable: ~Copyable {
  private(set) var count = 0
  /// The total length of all records.
  private(set) var bytes = 0
  private var entries: UnsafeMutablePointer<IndexEntry>
  private var capacity: Int
  /// Position in `entries` plus one, or 0.
  private var slots: UnsafeMutablePointer<UInt32>
  private var mask: Int
  /// Random, so that an attacker cannot choose colliding keys.
  private let seed = UInt64.random(in: .min ... .max) | 1

  static let maxCount = Int(Int32.max)

  /// Creates an empty table with room for some entries.
  init(capacity: Int = 0) {
    self.capacity = max(16, min(capacity, Self.maxCount))
    entries = .allocate(capacity: self.capacity)
    mask = Self.slotCount(for: self.capacity) - 1
    slots = .allocate(capacity: mask + 1)
    slots.initialize(repeating: 0, count: mask + 1)
  }

  deinit {
    entries.deallocate()
    slots.deallocate()
  }

  /// Twice as many slots as entries, a power of two.
  private static func slotCount(for capacity: Int) -> Int {
    1 << (Int.bitWidth - (capacity * 2 - 1).leadingZeroBitCount)
  }

  /// Creates a table of the entries that `fill` writes, such as those of a file.
  ///
  /// - Returns: `nil` when two entries have the same digest, or a length is implausible.
  init?<Failure: Error>(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Bool
  ) throws(Failure) {
    self.init(capacity: count + count / 4)
    guard try fill(UnsafeMutableRawBufferPointer(start: entries, count: count * IndexEntry.length)) else {
      return nil
    }
    for place in 0..<count {
      let entry = entries[place]
      guard entry.isPlausible else { return nil }
      let slot = self.slot(of: entry.digest)
      guard slots[slot] == 0 else { return nil }
      slots[slot] = UInt32(place + 1)
      bytes += Int(entry.size)
    }
    self.count = count
  }

  subscript(digest: Digest256) -> IndexEntry? {
    let place = slots[slot(of: digest)]
    return place == 0 ? nil : entries[Int(place) - 1]
  }

  /// Adds an entry, or replaces the one of its digest.
  mutating func put(_ entry: IndexEntry) {
    let slot = slot(of: entry.digest)
    if slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      bytes += Int(entry.size) - Int(entries[place].size)
      entries[place] = entry
      return
    }
    if count == capacity {
      grow()
      return put(entry)
    }
    entries[count] = entry
    count += 1
    slots[slot] = UInt32(count)
    bytes += Int(entry.size)
  }

  /// - Returns: The previous entry.
  @discardableResult
  mutating func remove(_ digest: Digest256) -> IndexEntry? {
    var hole = slot(of: digest)
    guard slots[hole] != 0 else { return nil }
    let place = Int(slots[hole]) - 1
    let removed = entries[place]
    // Close the gap in the chain.
    var next = (hole + 1) & mask
    while slots[next] != 0 {
      let home = home(of: entries[Int(slots[next]) - 1].digest)
      if (next &- home) & mask >= (next &- hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
    // The last entry moves to the free position.
    count -= 1
    if place < count {
      let moved = entries[count]
      slots[slot(of: moved.digest)] = UInt32(place + 1)
      entries[place] = moved
    }
    bytes -= Int(removed.size)
    return removed
  }

  /// Calls `body` with all entries, in no particular order.
  borrowing func forEach(_ body: (IndexEntry) -> Void) {
    for place in 0..<count { body(entries[place]) }
  }

  /// Calls `body` with the entries at a range of positions. Entries move when others are removed.
  borrowing func forEach(from start: Int, to end: Int, _ body: (IndexEntry) -> Void) {
    for place in min(start, count)..<max(min(start, count), min(end, count)) { body(entries[place]) }
  }

  /// The last known access of the record at a position.
  borrowing func accessed(at place: Int) -> Int64 {
    precondition(place >= 0 && place < count)
    return entries[place].accessed
  }

  /// The entries in the format of the file.
  borrowing func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: entries, count: count * IndexEntry.length))
  }

  private func home(of digest: Digest256) -> Int {
    let product = digest.word1.multipliedFullWidth(by: seed)
    return Int(truncatingIfNeeded: product.high ^ product.low) & mask
  }

  /// The slot of a digest, or the free slot where it belongs. At most half of the slots are used.
  private func slot(of digest: Digest256) -> Int {
    var slot = home(of: digest)
    while slots[slot] != 0, entries[Int(slots[slot]) - 1].digest != digest { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    // The entries before it take 128 GiB of memory.
    precondition(capacity < Self.maxCount, "more records than the index can number")
    let larger = min(capacity * 2, Self.maxCount)
    let moved = UnsafeMutablePointer<IndexEntry>.allocate(capacity: larger)
    moved.update(from: entries, count: count)
    entries.deallocate()
    (entries, capacity) = (moved, larger)
    slots.deallocate()
    mask = Self.slotCount(for: capacity) - 1
    slots = .allocate(capacity: mask + 1)
    slots.initialize(repeating: 0, count: mask + 1)
    for place in 0..<count { slots[slot(of: entries[place].digest)] = UInt32(place + 1) }
  }
}
