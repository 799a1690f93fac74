/// What left a queue of an ``EvictionOrder`` not long ago, without its value: 24 bytes or so for each.
///
/// Digests are folded to one word. Two that fall together make the order believe that one came back which did not:
/// no harm.
struct EvictedDigests: Sendable {
  private struct Left: Sendable {
    let fold: UInt64
    let cost: Int
  }

  private let seed: UInt64
  /// How often a digest is in the queue; it counts as there only if it was not removed since.
  private var present: [UInt64: Int32] = [:]
  /// Oldest first, from `head` on.
  private var queue: [Left] = []
  private var head = 0
  private var bytes = 0

  init(seed: UInt64) {
    self.seed = seed
  }

  /// Their costs together, or their number if they cost nothing.
  var weight: Int { bytes > 0 ? bytes : queue.count - head }

  /// Adds one, and drops the oldest until all together cost no more than `byteLimit` and are no more than
  /// `countLimit`.
  mutating func insert(_ digest: Digest256, cost: Int, byteLimit: Int, countLimit: Int) {
    let fold = fold(digest)
    queue.append(Left(fold: fold, cost: cost))
    present[fold, default: 0] += 1
    // Cannot overflow: it was at most the limit of the cache before, of which this is a part that just left it.
    bytes = bytes.addingReportingOverflow(cost).overflow ? .max : bytes + cost
    while head < queue.count, bytes > byteLimit || queue.count - head > countLimit { dropOldest() }
    if head >= 64, head * 2 >= queue.count {
      queue.removeFirst(head)
      head = 0
    }
  }

  /// Forgets one.
  /// - Returns: Whether it was there.
  mutating func remove(_ digest: Digest256) -> Bool {
    // Its place in the queue stays until its turn comes.
    present.removeValue(forKey: fold(digest)) != nil
  }

  mutating func removeAll() {
    present = [:]
    queue = []
    (head, bytes) = (0, 0)
  }

  private mutating func dropOldest() {
    let left = queue[head]
    head += 1
    bytes -= min(bytes, left.cost)
    guard let times = present[left.fold] else { return }
    present[left.fold] = times > 1 ? times - 1 : nil
  }

  private func fold(_ digest: Digest256) -> UInt64 { digest.word3 ^ seed }
}
