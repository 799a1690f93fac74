/// One shard of a ``MemoryCache``: a hash table with open addressing and linear probing, keyed by digest.
///
/// Not generic, so that look-ups are compiled once with known layouts: values travel in boxes. A row is one cache line
/// of the processor and does not count references by itself, so a hit without probing reads one line here and retains
/// nothing.
struct MemoryShard: ~Copyable {
  typealias Box = MemoryBox

  /// The times at which an entry becomes too old, in nanoseconds of the clock of the cache; `Int64.max` for never.
  struct Times: Hashable, Sendable {
    /// When it becomes stale.
    var stale = Int64.max
    /// When it expires.
    var expires = Int64.max

    /// The earlier of the two times: before it, the entry is valid without further checks.
    var first: Int64 { min(stale, expires) }
  }

  struct Entry: Sendable {
    var digest: Digest256
    var box: Box
    var times = Times()
    /// The node of the entry in the eviction order.
    var node: Int
  }

  private struct Row {
    var digest: Digest256
    /// `nil` in a free row. Otherwise the row owns one reference: insertion takes it, and removal passes it on.
    var box: Unmanaged<Box>?
    var times: Times
    var node: Int32
    /// Look-ups since the last turn of the entry, up to `mostMarks`.
    var marks: UInt8

    static let free = Row(
      digest: Digest256(word0: 0, word1: 0, word2: 0, word3: 0), box: nil, times: Times(), node: 0, marks: 0)
  }

  /// The number of turns for which look-ups can keep an entry.
  static let mostMarks: UInt8 = 3

  // The fields of a look-up come first, in the cache line of the mutex.
  private var rows: UnsafeMutablePointer<Row>
  private let seed: UInt64
  private var mask: Int
  private(set) var hits = 0
  private(set) var misses = 0
  private(set) var stale = 0
  private(set) var count = 0

  /// - Parameter seed: A random number, so that an attacker cannot choose colliding keys.
  init(seed: UInt64) {
    self.seed = seed
    mask = 15
    rows = Self.freeRows(16)
  }

  deinit {
    for index in 0...mask { rows[index].box?.release() }
    rows.deallocate()
  }

  private static func freeRows(_ count: Int) -> UnsafeMutablePointer<Row> {
    let size = MemoryLayout<Row>.stride
    assert(size == 64)
    // Rows are trivial: they need no deinitialisation.
    let rows = UnsafeMutableRawPointer.allocate(byteCount: count * size, alignment: size)
      .bindMemory(to: Row.self, capacity: count)
    rows.initialize(repeating: .free, count: count)
    return rows
  }

  /// Looks up and marks an entry. Counts as a hit; ``hitWasMiss(isStale:)`` reverts that.
  ///
  /// - Parameters:
  ///   - isOver: Set to the earlier of its times.
  ///   - use: Receives the box while the row holds it.
  /// - Returns: Whether there is an entry.
  @inline(__always)
  mutating func lookUp(_ digest: Digest256, isOver: inout Int64, use: (Box) -> Void) -> Bool {
    let row = rows + index(of: digest)
    guard let box = row.pointee.box else {
      misses += 1
      return false
    }
    hits += 1
    // Not written at the maximum, so that the cache line of a popular entry stays shared.
    if row.pointee.marks < Self.mostMarks { row.pointee.marks += 1 }
    isOver = row.pointee.times.first
    box._withUnsafeGuaranteedRef(use)
    return true
  }

  /// Counts a hit as a miss, because the entry was too old.
  mutating func hitWasMiss(isStale: Bool) {
    hits -= 1
    misses += 1
    if isStale { stale += 1 }
  }

  /// Counts a miss as a hit, because the value was found elsewhere.
  mutating func missWasHit() {
    misses -= 1
    hits += 1
  }

  func entry(_ digest: Digest256) -> Entry? {
    let row = rows + index(of: digest)
    return row.pointee.box.map { Self.entry(row.pointee, box: $0.takeUnretainedValue()) }
  }

  func node(_ digest: Digest256) -> Int? {
    let row = rows + index(of: digest)
    return row.pointee.box == nil ? nil : Int(row.pointee.node)
  }

  func times(_ digest: Digest256) -> Times? {
    let row = rows + index(of: digest)
    return row.pointee.box == nil ? nil : row.pointee.times
  }

  /// Removes one mark of an entry, or all of them; removes the entry if it has no marks.
  /// - Returns: The removed entry.
  mutating func removeUnlessMarked(_ digest: Digest256, takingAll: Bool) -> Entry? {
    let index = index(of: digest)
    guard rows[index].box != nil, rows[index].marks > 0 else { return remove(at: index) }
    rows[index].marks = takingAll ? 0 : rows[index].marks - 1
    return nil
  }

  /// Changes the time at which an entry becomes stale.
  mutating func setStale(_ digest: Digest256, at time: Int64) -> Bool {
    let row = rows + index(of: digest)
    guard row.pointee.box != nil else { return false }
    row.pointee.times.stale = time
    return true
  }

  /// Adds an entry, or replaces the one with its digest.
  /// - Returns: The previous value.
  mutating func insert(_ entry: consuming Entry) -> Box? {
    var index = index(of: entry.digest)
    let old = rows[index].box
    if old == nil {
      if (count + 1) * 2 > mask + 1 {
        grow()
        index = self.index(of: entry.digest)
      }
      count += 1
    }
    // A replaced entry keeps its marks, because it stays popular.
    let marks = old == nil ? 0 : rows[index].marks
    rows[index] = Row(
      digest: entry.digest, box: .passRetained(entry.box), times: entry.times,
      node: Int32(truncatingIfNeeded: entry.node), marks: marks)
    return old?.takeRetainedValue()
  }

  /// Removes an entry.
  mutating func remove(_ digest: Digest256) -> Entry? {
    remove(at: index(of: digest))
  }

  private mutating func remove(at index: Int) -> Entry? {
    var hole = index
    guard let box = rows[hole].box else { return nil }
    let removed = Self.entry(rows[hole], box: box.takeRetainedValue())
    // Close the gap, so that no chain is cut and no tombstones pile up.
    var next = (hole + 1) & mask
    while rows[next].box != nil {
      let home = home(of: rows[next].digest)
      if (next &- home) & mask >= (next &- hole) & mask {
        rows[hole] = rows[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    rows[hole].box = nil
    count -= 1
    return removed
  }

  @inline(__always)
  private func home(of digest: Digest256) -> Int {
    let product = (digest.word0 ^ seed).multipliedFullWidth(by: digest.word1 ^ (seed >> 32 | seed << 32))
    return Int(truncatingIfNeeded: product.high ^ product.low) & mask
  }

  /// The row of a digest, or the free row where it belongs.
  @inline(__always)
  private func index(of digest: Digest256) -> Int {
    var index = home(of: digest)
    // At most half of the rows are in use, so the search ends at a free one.
    while rows[index].box != nil, rows[index].digest != digest { index = (index + 1) & mask }
    return index
  }

  private static func entry(_ row: Row, box: Box) -> Entry {
    Entry(digest: row.digest, box: box, times: row.times, node: Int(row.node))
  }

  private mutating func grow() {
    let (old, oldCount) = (rows, mask + 1)
    rows = Self.freeRows(oldCount * 2)
    mask = oldCount * 2 - 1
    // References move with their rows.
    for index in 0..<oldCount where old[index].box != nil {
      rows[self.index(of: old[index].digest)] = old[index]
    }
    old.deallocate()
  }
}
