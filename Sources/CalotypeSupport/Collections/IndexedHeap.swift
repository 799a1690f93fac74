/// A priority queue of identified elements: the largest key first. Any element can be removed or get another key.
///
/// Changes are O(log *n*), look-ups O(1). Elements with equal keys come in no particular order. Queues that never change a
/// key use `Heap` of swift-collections.
///
/// Public for the same reason as ``Lock``: so that it is specialised in the modules that use it.
public struct IndexedHeap<ID: Hashable, Key: Comparable> {
  @usableFromInline var entries: [(id: ID, key: Key)] = []
  @usableFromInline var positions: [ID: Int] = [:]

  /// Creates an empty queue.
  @inlinable public init() {}

  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { entries.isEmpty }
  /// The number of elements.
  @inlinable public var count: Int { entries.count }

  /// The element with the largest key.
  @inlinable public var first: (id: ID, key: Key)? { entries.first }

  /// The key of an element, or `nil` if there is no such element.
  @inlinable public subscript(id: ID) -> Key? { positions[id].map { entries[$0].key } }

  /// Inserts an element, or changes its key.
  @inlinable public mutating func update(_ id: ID, _ key: Key) {
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

  /// Removes an element. Returns its key, or `nil` if there was no such element.
  @discardableResult @inlinable public mutating func remove(_ id: ID) -> Key? {
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

  /// Moves an element up or down to its place.
  @inlinable mutating func settle(_ start: Int) {
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

  @inlinable mutating func swap(_ left: Int, _ right: Int) {
    entries.swapAt(left, right)
    positions[entries[left].id] = left
    positions[entries[right].id] = right
  }
}

extension IndexedHeap: Sendable where ID: Sendable, Key: Sendable {}
