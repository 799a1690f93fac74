/// The evicted values of a ``MemoryCache`` with ``LiveValues``, held weakly.
struct WeakTable: Sendable {
  struct Slot: Sendable {
    let entry: RemovedEntry
    let recall: MemoryBox.Recall
    /// Distinguishes a slot from a later one of the same key.
    let number: Int
  }

  private let limit: Int
  private var slots: [Digest256: Slot] = [:]
  /// In order of insertion, from `head` on; elements that are no longer in `slots` are skipped.
  private var queue: [(digest: Digest256, number: Int)] = []
  private var head = 0
  private var lastNumber = 0
  private var insertionsUntilSweep = 64

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { slots.count }

  /// Whether as many slots were inserted since the last sweep as were alive then. Half of the slots may be dead now, so
  /// that a sweep costs O(1) per slot.
  var needsSweep: Bool { insertionsUntilSweep <= 0 }

  var all: [Slot] { Array(slots.values) }

  func slot(_ digest: Digest256) -> Slot? { slots[digest] }

  mutating func insert(_ entry: RemovedEntry, _ recall: @escaping MemoryBox.Recall) {
    guard limit > 0 else { return }
    lastNumber += 1
    insertionsUntilSweep -= 1
    slots[entry.digest] = Slot(entry: entry, recall: recall, number: lastNumber)
    queue.append((entry.digest, lastNumber))
    while slots.count > limit || queue.count - head > 2 * limit + 64, head < queue.count {
      let (digest, number) = queue[head]
      head += 1
      remove(digest, number: number)
    }
    if head >= 64, head * 2 >= queue.count {
      queue.removeFirst(head)
      head = 0
    }
  }

  mutating func remove(_ digest: Digest256) { slots[digest] = nil }

  /// Removes a slot, unless another one has replaced it.
  /// - Returns: Whether it was there.
  @discardableResult
  mutating func remove(_ digest: Digest256, number: Int) -> Bool {
    guard slots[digest]?.number == number else { return false }
    slots[digest] = nil
    return true
  }

  mutating func removeAll() {
    slots = [:]
    queue = []
    head = 0
  }

  /// Removes slots with released values, which were found outside the lock.
  mutating func sweep(_ dead: [Slot]) {
    for slot in dead { remove(slot.entry.digest, number: slot.number) }
    insertionsUntilSweep = max(64, slots.count)
  }
}
