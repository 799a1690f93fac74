/// A cache that evicts the least recently used entry first, to compare other policies with. Counts hits, holds
/// no values.
public struct LRUModel: Sendable {
  private struct Node: Sendable {
    let key: Int
    let cost: Int
    var previous = none
    var next = none
  }

  private static let none = -1
  private let capacity: Int
  private var nodes: [Node] = []
  private var places: [Int: Int] = [:]
  private var free: [Int] = []
  private var oldest = none
  private var newest = none
  private var bytes = 0

  /// - Parameter capacity: Most that all entries together may cost.
  public init(capacity: Int) {
    self.capacity = capacity
  }

  /// Asks for a key, and stores it if it is not there.
  ///
  /// - Returns: Whether it was there.
  public mutating func request(_ key: Int, cost: Int) -> Bool {
    if let place = places[key] {
      unlink(place)
      link(place)
      return true
    }
    guard cost <= capacity else { return false }
    while bytes > capacity - cost {
      places[nodes[oldest].key] = nil
      bytes -= nodes[oldest].cost
      free.append(oldest)
      unlink(oldest)
    }
    let place = free.popLast() ?? nodes.count
    if place == nodes.count {
      nodes.append(Node(key: key, cost: cost))
    } else {
      nodes[place] = Node(key: key, cost: cost)
    }
    places[key] = place
    bytes += cost
    link(place)
    return false
  }

  private mutating func link(_ place: Int) {
    nodes[place].previous = newest
    nodes[place].next = Self.none
    if newest == Self.none { oldest = place } else { nodes[newest].next = place }
    newest = place
  }

  private mutating func unlink(_ place: Int) {
    let (previous, next) = (nodes[place].previous, nodes[place].next)
    if previous == Self.none { oldest = next } else { nodes[previous].next = next }
    if next == Self.none { newest = previous } else { nodes[next].previous = previous }
  }
}
