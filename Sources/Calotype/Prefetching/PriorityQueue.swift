/// Those who wait for their turn: the most urgent first, and among equals the one that has waited longest. Pure.
///
/// Every operation costs O(1), amortised, for a handful of priorities: places that were given up are skipped when their
/// turn comes.
struct PriorityQueue<ID: Hashable> {
  private struct Lane {
    let priority: UInt8
    var entries: [(id: ID, stamp: Int)] = []
    var head = 0
  }

  /// The most urgent first.
  private var lanes: [Lane] = []
  private var places: [ID: (priority: UInt8, stamp: Int)] = [:]
  private var stamp = 0

  /// How many wait.
  var count: Int { places.count }

  mutating func put(_ id: ID, priority: UInt8) {
    stamp += 1
    places[id] = (priority, stamp)
    let index = lanes.firstIndex { $0.priority <= priority } ?? lanes.count
    if index == lanes.count || lanes[index].priority != priority {
      lanes.insert(Lane(priority: priority), at: index)
    }
    lanes[index].entries.append((id, stamp))
    if lanes[index].entries.count > 2 * places.count + 64 { forgetOld(index) }
  }

  /// Gives one who waits another priority: behind those who have it already.
  mutating func move(_ id: ID, to priority: UInt8) {
    guard let place = places[id], place.priority != priority else { return }
    put(id, priority: priority)
  }

  /// Whether there was such a one.
  @discardableResult mutating func remove(_ id: ID) -> Bool {
    places.removeValue(forKey: id) != nil
  }

  /// Who is next.
  mutating func first() -> ID? {
    for index in lanes.indices {
      while lanes[index].head < lanes[index].entries.count {
        let entry = lanes[index].entries[lanes[index].head]
        if isCurrent(entry, lanes[index].priority) { return entry.id }
        lanes[index].head += 1
      }
      lanes[index].entries.removeAll(keepingCapacity: true)
      lanes[index].head = 0
    }
    return nil
  }

  /// The priority of a place.
  func priority(of id: ID) -> UInt8 { places[id]?.priority ?? 0 }

  private func isCurrent(_ entry: (id: ID, stamp: Int), _ priority: UInt8) -> Bool {
    guard let place = places[entry.id] else { return false }
    return place.stamp == entry.stamp && place.priority == priority
  }

  private mutating func forgetOld(_ index: Int) {
    let lane = lanes[index]
    lanes[index].entries = lane.entries[lane.head...].filter { isCurrent($0, lane.priority) }
    lanes[index].head = 0
  }
}
