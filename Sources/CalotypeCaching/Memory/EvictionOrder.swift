/// The eviction order of a ``MemoryCache`` and the sum of its costs: S3-FIFO with an adaptive probation queue.
///
/// New entries wait in a probation queue. Entries that are looked up there move to the main queue, the others are
/// evicted, so that a scan of entries that are used once does not push out popular ones. The main queue is a clock:
/// each look-up saves an entry for another round. S3-FIFO alone adapts badly to a moving working set; so both queues
/// remember evicted digests, and an entry that returns shows which queue was too small (as in ARC). The marks of
/// look-ups are stored with the entries in the shards, so that a hit changes nothing here.
///
/// Yang et al., "FIFO Queues are All You Need for Cache Eviction", SOSP 2023; Megiddo and Modha, "ARC: A Self-Tuning,
/// Low Overhead Replacement Cache", FAST 2003.
struct EvictionOrder: Sendable {
  enum Queue: UInt8, Sendable {
    case probation, main
  }

  /// The next entry to examine for eviction.
  struct Candidate {
    let node: Int
    let digest: Digest256
    let queue: Queue
  }

  private struct Node: Sendable {
    var digest: Digest256
    var cost: Int
    var previous: Int32 = none
    var next: Int32 = none
    var queue: Queue
  }

  private struct List: Sendable {
    var head: Int32 = none
    var tail: Int32 = none
    var bytes = 0
    var count = 0
  }

  private static let none: Int32 = -1
  private static let shares = 0.05...0.99

  private var nodes: [Node] = []
  private var free: [Int32] = []
  private var probation = List()
  private var main = List()
  private var leftProbation: EvictedDigests
  private var leftMain: EvictedDigests
  /// The fraction of the contents that may be on probation.
  private(set) var probationShare = Self.shares.lowerBound

  /// - Parameter seed: A random number, so that an attacker cannot choose keys that are mistaken for others.
  init(seed: UInt64) {
    leftProbation = EvictedDigests(seed: seed)
    leftMain = EvictedDigests(seed: seed)
  }

  // Each sum of costs is below the limit, which is an `Int`.
  var bytes: Int { probation.bytes + main.bytes }
  var count: Int { probation.count + main.count }

  /// The next entry to evict, unless it was looked up; `nil` when there is none.
  var candidate: Candidate? {
    let queue: Queue = main.count == 0 || (probation.count > 0 && isProbationFull) ? .probation : .main
    let head = queue == .main ? main.head : probation.head
    guard head != Self.none else { return nil }
    return Candidate(node: Int(head), digest: nodes[Int(head)].digest, queue: queue)
  }

  /// All nodes, in no particular order.
  var all: [Int] {
    var result: [Int] = []
    result.reserveCapacity(count)
    for head in [probation.head, main.head] {
      var index = head
      while index != Self.none {
        result.append(Int(index))
        index = nodes[Int(index)].next
      }
    }
    return result
  }

  func cost(at node: Int) -> Int { nodes[node].cost }

  func digest(at node: Int) -> Digest256 { nodes[node].digest }

  /// Adds an entry: to the main queue if it was evicted recently, otherwise on probation.
  mutating func append(_ digest: Digest256, cost: Int) -> Int {
    let queue = queueForNew(digest, cost: cost)
    let node = Node(digest: digest, cost: cost, queue: queue)
    let index: Int
    if let reused = free.popLast() {
      index = Int(reused)
      nodes[index] = node
    } else {
      index = nodes.count
      nodes.append(node)
    }
    link(index)
    return index
  }

  mutating func remove(_ node: Int) {
    unlink(node)
    free.append(Int32(truncatingIfNeeded: node))
  }

  /// Replaces the value of an entry, which keeps its place.
  mutating func replace(_ node: Int, cost: Int) {
    unlink(node)
    nodes[node].cost = cost
    link(node)
  }

  /// Keeps a candidate that was looked up.
  mutating func spare(_ candidate: Candidate) {
    unlink(candidate.node)
    nodes[candidate.node].queue = .main
    link(candidate.node)
  }

  /// Removes a candidate and remembers its digest.
  mutating func evict(_ candidate: Candidate) {
    let cost = nodes[candidate.node].cost
    // Half of the contents each: with longer memories, ordinary entries would be mistaken for popular ones.
    let (byteLimit, countLimit) = (bytes / 2, count / 2 + 16)
    remove(candidate.node)
    switch candidate.queue {
    case .probation:
      leftProbation.insert(candidate.digest, cost: cost, byteLimit: byteLimit, countLimit: countLimit)
    case .main: leftMain.insert(candidate.digest, cost: cost, byteLimit: byteLimit, countLimit: countLimit)
    }
  }

  /// Also forgets evicted digests.
  mutating func removeAllMemories() {
    leftProbation.removeAll()
    leftMain.removeAll()
    probationShare = Self.shares.lowerBound
  }

  private var isProbationFull: Bool {
    bytes > 0
      ? Double(probation.bytes) >= probationShare * Double(bytes)
      : Double(probation.count) >= probationShare * Double(count)
  }

  private mutating func queueForNew(_ digest: Digest256, cost: Int) -> Queue {
    // A fraction of the contents, larger if the other queue's memory is longer, as in ARC. Twice as fast as ARC,
    // because the working set of a user who scrolls changes quickly.
    let part = bytes > 0 ? Double(cost) / Double(bytes) : 1 / Double(max(1, count))
    let (fromProbation, fromMain) = (Double(leftProbation.weight), Double(leftMain.weight))
    if leftProbation.remove(digest) {
      let share = probationShare + 2 * part * max(1, fromMain / max(1, fromProbation))
      probationShare = min(Self.shares.upperBound, share)
      return .main
    }
    if leftMain.remove(digest) {
      let share = probationShare - 2 * part * max(1, fromProbation / max(1, fromMain))
      probationShare = max(Self.shares.lowerBound, share)
      return .main
    }
    return .probation
  }

  private mutating func link(_ index: Int) {
    switch nodes[index].queue {
    case .probation: Self.link(index, to: &probation, in: &nodes)
    case .main: Self.link(index, to: &main, in: &nodes)
    }
  }

  private mutating func unlink(_ index: Int) {
    switch nodes[index].queue {
    case .probation: Self.unlink(index, from: &probation, in: &nodes)
    case .main: Self.unlink(index, from: &main, in: &nodes)
    }
  }

  private static func link(_ index: Int, to list: inout List, in nodes: inout [Node]) {
    let place = Int32(truncatingIfNeeded: index)
    nodes[index].previous = list.tail
    nodes[index].next = none
    if list.tail == none { list.head = place } else { nodes[Int(list.tail)].next = place }
    list.tail = place
    list.bytes += nodes[index].cost
    list.count += 1
  }

  private static func unlink(_ index: Int, from list: inout List, in nodes: inout [Node]) {
    let (previous, next) = (nodes[index].previous, nodes[index].next)
    if previous == none { list.head = next } else { nodes[Int(previous)].next = next }
    if next == none { list.tail = previous } else { nodes[Int(next)].previous = previous }
    list.bytes -= nodes[index].cost
    list.count -= 1
  }
}
