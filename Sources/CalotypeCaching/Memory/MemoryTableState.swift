/// The state of a ``MemoryTable`` that all changes pass through: everything about its entries except their values, and
/// exact counts.
struct MemoryTableState: Sendable {
  var order: EvictionOrder
  var budget: MemoryBudget
  var countLimit: Int?
  var sources = SourceIndex()
  var sizeVariants = SizeVariantIndex()
  /// Indexed by node; only entries that have labels.
  var labels: [Int: MemoryLabels] = [:]
  /// Evicted entries whose values may still be alive.
  var live: WeakTable
  var evictions = 0
  var expired = 0
  var rejections = 0
  var coveringHits = 0
  var revived = 0

  init(byteLimit: Int?, countLimit: Int?, liveLimit: Int, seed: UInt64) {
    order = EvictionOrder(seed: seed)
    budget = MemoryBudget(byteLimit: byteLimit)
    live = WeakTable(limit: liveLimit)
    self.countLimit = Self.clamped(countLimit)
  }

  /// The nodes of the eviction order have 32-bit numbers.
  static func clamped(_ countLimit: Int?) -> Int? {
    countLimit.map { min(max(0, $0), Int(Int32.max)) }
  }

  var isOverLimit: Bool { order.bytes > budget.limit || order.count > countLimit ?? .max }

  /// Adds an entry.
  /// - Returns: Its node.
  mutating func insert(_ entry: MemoryEntry) -> Int {
    let node = order.append(entry.digest, cost: entry.cost)
    note(entry, at: node)
    return node
  }

  /// Replaces an entry by another one of the same key.
  mutating func replace(_ node: Int, with entry: MemoryEntry) {
    order.replace(node, cost: entry.cost)
    forget(node, entry.digest)
    note(entry, at: node)
  }

  /// Removes an entry that its shard no longer holds.
  mutating func remove(_ entry: MemoryShard.Entry) {
    order.remove(entry.node)
    forget(entry.node, entry.digest)
  }

  /// Removes an entry that is evicted, and holds its value weakly if the cache has ``LiveValues``.
  mutating func evict(_ candidate: EvictionOrder.Candidate, times: MemoryShard.Times) {
    evictions += 1
    let cost = order.cost(at: candidate.node)
    order.evict(candidate)
    // Most caches have no labels: then no text is hashed or copied.
    if !labels.isEmpty, let own = labels[candidate.node], let recall = own.recall,
      let words = sources.words(of: candidate.node)
    {
      live.insert(
        RemovedEntry(digest: candidate.digest, cost: cost, times: times, words: words, labels: own), recall)
    }
    forget(candidate.node, candidate.digest)
  }

  /// The digests of a selection: of entries, and of weakly held values.
  func digests(_ selection: CacheSelection) -> (entries: [Digest256], live: [Digest256]) {
    let nodes: [Int]
    switch selection {
    case .source(let source): nodes = sources.nodes(of: source)
    case .tagged(let source, _):
      nodes = sources.nodes(of: source).filter {
        selection.contains(source: source, tags: labels[$0]?.tags ?? [])
      }
    case .sourcePrefix, .host, .origin: nodes = sources.nodes { selection.contains(source: $0, tags: []) }
    case .tag:
      // In the order of their memory: what belongs to a node, and mostly the value too, is beside that of the one before.
      nodes = labels.filter { selection.contains(source: "", tags: $0.value.tags) }.map(\.key).sorted()
    }
    let held = live.all.filter {
      selection.contains(source: $0.entry.words.source, tags: $0.entry.labels.tags)
    }
    return (nodes.map { order.digest(at: $0) }, held.map(\.entry.digest))
  }

  private mutating func note(_ entry: MemoryEntry, at node: Int) {
    sources.insert(node, entry.words)
    guard !entry.labels.isEmpty else { return }
    labels[node] = entry.labels
    if let sizeVariant = entry.labels.sizeVariant { sizeVariants.insert(sizeVariant, entry.digest) }
  }

  private mutating func forget(_ node: Int, _ digest: Digest256) {
    sources.remove(node)
    guard !labels.isEmpty, let old = labels.removeValue(forKey: node) else { return }
    if let sizeVariant = old.sizeVariant { sizeVariants.remove(sizeVariant, digest) }
  }
}
