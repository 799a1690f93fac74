import CalotypeSupport
import FoundationEssentials
import Glibc

/// Eviction under the limits: at once for a store, in steps between stores. Called within `withLock`.
extension DiskStore {
  /// The most records that one step removes between stores.
  static var stepCount: Int { 32 }
  /// The time limit of such a step, except for its last record: a store may have to wait for a step.
  static var stepTime: Duration { .microseconds(500) }
  /// The most records that are spared for each one evicted.
  private static var sparedCount: Int { 64 }
  /// The most index entries that a step examines.
  private static var stepPlaces: Int { 8192 }

  /// Evicts until the given size fits under the limits. An eviction removes another step's worth of records, so that
  /// the next stores find room; the rest, down to the low marks, goes between stores.
  func makeRoom(bytes: Int, count: Int) throws(FileSystemError) {
    let byteMark = max(0, configuration.byteLimit - bytes)
    let countMark = max(0, configuration.countLimit - count)
    guard !isWithin(bytes: byteMark, count: countMark) else { return }
    isTrimming = true
    try evict(toBytes: byteMark, count: countMark)
    try trimSome(bytes: bytes, count: count)
  }

  /// Evicts a step towards the low marks, if a limit was exceeded and they have not been reached since.
  ///
  /// - Parameters:
  ///   - bytes: Bytes about to be added.
  ///   - count: Records about to be added.
  func trimSome(bytes: Int = 0, count: Int = 0) throws(FileSystemError) {
    guard isTrimming else { return }
    let marks = configuration.lowMarks
    let (byteMark, countMark) = (max(0, marks.bytes - bytes), max(0, marks.count - count))
    try evict(toBytes: byteMark, count: countMark, atMost: Self.stepCount, within: Self.stepTime)
    if isWithin(bytes: byteMark, count: countMark) { isTrimming = false }
  }

  /// Searches for the next candidates in advance, while the cache is nearly full.
  func prepareEviction() {
    let marks = configuration.lowMarks
    guard !isWithin(bytes: marks.bytes, count: marks.count) else { return }
    index.read { queue.prepare($0, places: Self.stepPlaces) }
  }

  private func isWithin(bytes: Int, count: Int) -> Bool {
    index.read { $0.bytes <= bytes && $0.count <= count }
  }

  /// Removes the least recently used records until at most this much is left.
  ///
  /// - Parameters:
  ///   - bytes: Bytes that may stay.
  ///   - count: Records that may stay.
  ///   - most: Most records to remove.
  ///   - time: The time limit; at least one record is removed. `nil` for no limit.
  /// - Returns: The bytes freed.
  @discardableResult
  func evict(
    toBytes bytes: Int, count: Int, atMost most: Int = .max, within time: Duration? = nil
  ) throws(FileSystemError) -> Int {
    let before = index.read { $0.bytes }
    let end = time.map { timer.elapsed + $0 }
    var removed = 0
    var spared: [IndexEntry] = []
    while removed < most, !isWithin(bytes: bytes, count: count) {
      if removed > 0, let end, timer.elapsed >= end { break }
      guard let victim = index.read({ queue.next(in: $0) }) else { break }
      let path = layout.record(victim.digest)
      // A folder in the place of a record belongs to another program, and counts as removed.
      if let status = try files.status(path), status.kind != .folder {
        let accessed = status.modified.microseconds
        if accessed > victim.accessed {
          var read = victim
          read.accessed = accessed
          index.update([read])
          queue.giveBack(read)
          spared.append(read)
          // Readers can be as fast as this loop, and a new process has no record of earlier reads: the oldest of this
          // many spared records is evicted regardless.
          guard spared.count >= Self.sparedCount else { continue }
          try evictOldest(of: spared)
          spared = []
          removed += 1
          continue
        }
        if try removeFiles(of: victim) { tally.evicted += 1 }
      }
      try noteRemoval(of: victim.digest)
      removed += 1
    }
    return before - index.read { $0.bytes }
  }

  private func evictOldest(of entries: [IndexEntry]) throws(FileSystemError) {
    let present = entries.filter { entry in index.read { $0[entry.digest] != nil } }
    guard let oldest = present.min(by: { $0.accessed < $1.accessed }) else { return }
    if try removeFiles(of: oldest) { tally.evicted += 1 }
    try noteRemoval(of: oldest.digest)
  }
}
