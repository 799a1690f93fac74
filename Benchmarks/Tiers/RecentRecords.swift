/// The records that a node keeps in memory: the least recently used goes first. Holds the position of each.
struct RecentRecords {
  private var positions: [Int32]
  private var next: [Int32]
  private var previous: [Int32]
  private var count = 0
  private let limit: Int
  private let end: Int

  init(keys: Int, limit: Int) {
    self.limit = limit
    end = keys
    positions = Array(repeating: -1, count: keys)
    next = Array(repeating: Int32(keys), count: keys + 1)
    previous = next
  }

  mutating func read(_ key: Int) -> Int? {
    guard positions[key] >= 0 else { return nil }
    unlink(key)
    link(key)
    return Int(positions[key])
  }

  mutating func store(_ key: Int, position: Int) {
    if positions[key] >= 0 { unlink(key) } else { count += 1 }
    positions[key] = Int32(position)
    link(key)
    if count > limit {
      let oldest = Int(previous[end])
      unlink(oldest)
      positions[oldest] = -1
      count -= 1
    }
  }

  private mutating func link(_ key: Int) {
    let first = next[end]
    next[key] = first
    previous[key] = Int32(end)
    previous[Int(first)] = Int32(key)
    next[end] = Int32(key)
  }

  private mutating func unlink(_ key: Int) {
    next[Int(previous[key])] = next[key]
    previous[Int(next[key])] = previous[key]
  }
}
