/// A binary heap whose elements have names: the largest key first, and any key can be changed or taken out.
///
/// Changes cost O(log n), look-ups O(1). Keys that are equal come in no particular order.
struct IndexedHeap<ID: Hashable, Key: Comparable> {
  private var entries: [(id: ID, key: Key)] = []
  private var positions: [ID: Int] = [:]

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  /// The element with the largest key.
  var first: (id: ID, key: Key)? { entries.first }

  /// The key of an element; `nil` if there is no such element.
  subscript(id: ID) -> Key? { positions[id].map { entries[$0].key } }

  /// Inserts an element, or gives it another key.
  mutating func update(_ id: ID, _ key: Key) {
    if let position = positions[id] {
      guard entries[position].key != key else { return }
      entries[position].key = key
      settle(position)
    } else {
      positions[id] = entries.count
      entries.append((id, key))
      settle(entries.count - 1)
    }
  }

  /// Takes an element out. Returns its key, if it was there.
  @discardableResult mutating func remove(_ id: ID) -> Key? {
    guard let position = positions.removeValue(forKey: id) else { return nil }
    let key = entries[position].key
    let last = entries.removeLast()
    if position < entries.count {
      entries[position] = last
      positions[last.id] = position
      settle(position)
    }
    return key
  }

  /// Moves an element up or down to where its key belongs.
  private mutating func settle(_ start: Int) {
    var position = start
    while position > 0, entries[(position - 1) / 2].key < entries[position].key {
      swap(position, (position - 1) / 2)
      position = (position - 1) / 2
    }
    while true {
      var largest = position
      for child in (2 * position + 1)...(2 * position + 2)
      where child < entries.count && entries[largest].key < entries[child].key {
        largest = child
      }
      if largest == position { return }
      swap(position, largest)
      position = largest
    }
  }

  private mutating func swap(_ left: Int, _ right: Int) {
    entries.swapAt(left, right)
    positions[entries[left].id] = left
    positions[entries[right].id] = right
  }
}
