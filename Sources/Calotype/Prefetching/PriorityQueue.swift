import CalotypeSupport

/// Waiting work: the highest priority first, and first in, first out among equals. O(log *n*).
struct PriorityQueue<ID: Hashable> {
  private struct Place: Comparable {
    let priority: UInt8
    let stamp: Int

    static func < (left: Place, right: Place) -> Bool {
      (left.priority, -left.stamp) < (right.priority, -right.stamp)
    }
  }

  private var heap = IndexedHeap<ID, Place>()
  private var stamp = 0

  /// The number of waiting elements.
  var count: Int { heap.count }

  /// Adds an element behind all others of its priority.
  mutating func put(_ id: ID, priority: UInt8) {
    stamp += 1
    heap.update(id, Place(priority: priority, stamp: stamp))
  }

  /// Returns whether there was such an element.
  @discardableResult mutating func remove(_ id: ID) -> Bool {
    heap.remove(id) != nil
  }

  /// Returns the element whose turn is next.
  func first() -> ID? { heap.first?.id }
}
