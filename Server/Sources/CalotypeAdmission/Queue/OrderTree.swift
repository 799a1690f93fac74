/// An ordered set of weighted entries that answers "how much weight lies below a key".
///
/// A treap: a search tree by key, a heap by random priority, so that no order of insertions makes it deep. Insertions,
/// removals and sums are O(log *n*) expected. Sums wrap around, which keeps differences of sums exact.
struct OrderTree: Sendable {
  /// A key, and a number that tells entries with equal keys apart.
  struct Entry: Comparable, Sendable {
    let key: Int64
    let id: Int

    static func < (left: Entry, right: Entry) -> Bool {
      left.key != right.key ? left.key < right.key : left.id < right.id
    }
  }

  private struct Node: Sendable {
    var entry: Entry
    var weight: Int64
    var priority: UInt32
    var left: Int32 = -1
    var right: Int32 = -1
    /// The weight of the subtree.
    var sum: Int64
    /// The number of entries in the subtree.
    var count: Int32 = 1
  }

  private var nodes: [Node] = []
  private var root: Int32 = -1
  /// Nodes that are not in use.
  private var unused: [Int32] = []
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The number of entries.
  var count: Int { nodes.count - unused.count }
  /// The weight of all entries.
  var sum: Int64 { root < 0 ? 0 : nodes[Int(root)].sum }

  /// The entry with the smallest key, and its weight.
  var first: (entry: Entry, weight: Int64)? {
    guard root >= 0 else { return nil }
    var index = Int(root)
    while nodes[index].left >= 0 { index = Int(nodes[index].left) }
    return (nodes[index].entry, nodes[index].weight)
  }

  /// Returns the number and the weight of the entries with smaller keys.
  func below(_ key: Int64) -> (count: Int, sum: Int64) {
    var count = 0
    var sum: Int64 = 0
    var index = root
    while index >= 0 {
      let node = nodes[Int(index)]
      guard node.entry.key < key else {
        index = node.left
        continue
      }
      count += 1
      sum &+= node.weight
      if node.left >= 0 {
        count += Int(nodes[Int(node.left)].count)
        sum &+= nodes[Int(node.left)].sum
      }
      index = node.right
    }
    return (count, sum)
  }

  /// Returns the sum over all entries of the smaller of `key` and their key; for trees whose weights are their keys.
  func sumOfMinima(with key: Int64) -> Int64 {
    let (count, sum) = below(key)
    return sum &+ key &* Int64(self.count - count)
  }

  /// Adds an entry that is not in the tree.
  mutating func insert(_ entry: Entry, weight: Int64) {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    let node = Node(
      entry: entry, weight: weight, priority: UInt32(truncatingIfNeeded: random >> 32), sum: weight)
    let index: Int32
    if let free = unused.popLast() {
      nodes[Int(free)] = node
      index = free
    } else {
      index = Int32(truncatingIfNeeded: nodes.count)
      nodes.append(node)
    }
    root = insert(index, into: root)
  }

  /// Removes an entry that is in the tree.
  mutating func remove(_ entry: Entry) {
    root = remove(entry, from: root)
    if root < 0 {
      nodes.removeAll(keepingCapacity: nodes.capacity <= 1024)
      unused.removeAll(keepingCapacity: unused.capacity <= 1024)
    }
  }

  private mutating func insert(_ new: Int32, into tree: Int32) -> Int32 {
    guard tree >= 0 else { return new }
    let entry = nodes[Int(new)].entry
    if nodes[Int(new)].priority > nodes[Int(tree)].priority {
      let (left, right) = split(tree, at: entry)
      nodes[Int(new)].left = left
      nodes[Int(new)].right = right
      update(new)
      return new
    }
    if entry < nodes[Int(tree)].entry {
      nodes[Int(tree)].left = insert(new, into: nodes[Int(tree)].left)
    } else {
      nodes[Int(tree)].right = insert(new, into: nodes[Int(tree)].right)
    }
    update(tree)
    return tree
  }

  private mutating func remove(_ entry: Entry, from tree: Int32) -> Int32 {
    guard tree >= 0 else { return tree }
    let node = nodes[Int(tree)]
    if node.entry == entry {
      unused.append(tree)
      return merge(node.left, node.right)
    }
    if entry < node.entry {
      nodes[Int(tree)].left = remove(entry, from: node.left)
    } else {
      nodes[Int(tree)].right = remove(entry, from: node.right)
    }
    update(tree)
    return tree
  }

  private mutating func split(_ tree: Int32, at entry: Entry) -> (Int32, Int32) {
    guard tree >= 0 else { return (-1, -1) }
    if nodes[Int(tree)].entry < entry {
      let (left, right) = split(nodes[Int(tree)].right, at: entry)
      nodes[Int(tree)].right = left
      update(tree)
      return (tree, right)
    }
    let (left, right) = split(nodes[Int(tree)].left, at: entry)
    nodes[Int(tree)].left = right
    update(tree)
    return (left, tree)
  }

  /// Joins two trees, all entries of the first before those of the second.
  private mutating func merge(_ left: Int32, _ right: Int32) -> Int32 {
    if left < 0 { return right }
    if right < 0 { return left }
    if nodes[Int(left)].priority > nodes[Int(right)].priority {
      nodes[Int(left)].right = merge(nodes[Int(left)].right, right)
      update(left)
      return left
    }
    nodes[Int(right)].left = merge(left, nodes[Int(right)].left)
    update(right)
    return right
  }

  private mutating func update(_ index: Int32) {
    let node = nodes[Int(index)]
    var count: Int32 = 1
    var sum = node.weight
    if node.left >= 0 {
      count += nodes[Int(node.left)].count
      sum &+= nodes[Int(node.left)].sum
    }
    if node.right >= 0 {
      count += nodes[Int(node.right)].count
      sum &+= nodes[Int(node.right)].sum
    }
    nodes[Int(index)].count = count
    nodes[Int(index)].sum = sum
  }
}
