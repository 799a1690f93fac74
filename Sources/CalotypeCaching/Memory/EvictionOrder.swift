/// The order in which entries of a ``MemoryCache`` leave, and the sum of their costs.
///
/// A doubly linked list in one array: new entries at the end, the clock hand at the start. An entry that was looked
/// up since the hand last came by goes to the end once more (second chance).
struct EvictionOrder: Sendable {
  struct Node: Sendable {
    var digest: Digest256
    var cost: Int
    fileprivate var previous: Int
    fileprivate var next: Int
  }

  private var nodes: [Node] = []
  private var free: [Int] = []
  private var head = none
  private var tail = none
  private(set) var bytes = 0
  private(set) var count = 0
  private static let none = -1

  /// The entry the hand points at.
  var first: (index: Int, node: Node)? {
    head == Self.none ? nil : (head, nodes[head])
  }

  /// All entries, next to leave first.
  var all: [Node] {
    var result: [Node] = []
    result.reserveCapacity(count)
    var index = head
    while index != Self.none {
      result.append(nodes[index])
      index = nodes[index].next
    }
    return result
  }

  func cost(at index: Int) -> Int { nodes[index].cost }

  /// Adds an entry at the end.
  mutating func append(_ digest: Digest256, cost: Int) -> Int {
    let node = Node(digest: digest, cost: cost, previous: Self.none, next: Self.none)
    let index: Int
    if let reused = free.popLast() {
      nodes[reused] = node
      index = reused
    } else {
      index = nodes.count
      nodes.append(node)
    }
    link(index)
    bytes += cost
    count += 1
    return index
  }

  mutating func remove(_ index: Int) {
    unlink(index)
    bytes -= nodes[index].cost
    count -= 1
    free.append(index)
  }

  mutating func moveToEnd(_ index: Int) {
    unlink(index)
    link(index)
  }

  private mutating func link(_ index: Int) {
    nodes[index].previous = tail
    nodes[index].next = Self.none
    if tail == Self.none { head = index } else { nodes[tail].next = index }
    tail = index
  }

  private mutating func unlink(_ index: Int) {
    let (previous, next) = (nodes[index].previous, nodes[index].next)
    if previous == Self.none { head = next } else { nodes[previous].next = next }
    if next == Self.none { tail = previous } else { nodes[next].previous = previous }
  }
}
