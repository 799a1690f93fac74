import CalotypeCaching
import CalotypeTiers
import Glibc

/// A run of a scenario: traffic, nodes, origin.
final class World {
  let scenario: Scenario
  let queue = EventQueue()
  let redis = SimulatedRedis()
  var random: Random
  var figures = Figures()
  /// The position of the record in the bucket; -1 without one.
  var bucket: [Int]
  let nodes: [SimulatedNode]
  private let sums: [Double]
  private let sources: [String]
  var nextToken = 0
  static let lease = 3.0
  static let deadline = 0.3

  init(_ scenario: Scenario) {
    self.scenario = scenario
    random = Random(seed: scenario.seed)
    bucket = Array(repeating: scenario.isWarm ? 0 : -1, count: scenario.keys)
    nodes = (0..<scenario.nodes).map { SimulatedNode($0, scenario) }
    var sum = 0.0
    sums = (1...scenario.keys).map { rank in
      sum += pow(Double(rank), -scenario.exponent)
      return sum
    }
    sources = (0..<scenario.keys).map { "https://example.org/\($0).png" }
  }

  func run() -> Figures {
    if scenario.isWarm {
      for node in nodes {
        for key in (0..<scenario.memory).reversed() where key < scenario.keys {
          node.records.store(key, position: 0)
        }
      }
    }
    // Nodes that have run for a while know how fast the origin is.
    for node in nodes where scenario.isWarm {
      for _ in 0..<50 { node.durations.note(.seconds(random.logNormal(scenario.origin)), host: "") }
    }
    for node in nodes { queue.after(random.exponential(scenario.rate)) { self.arrive(node) } }
    if let time = scenario.purgeTime { queue.after(time) { self.purge() } }
    if scenario.fault == .redisRestarted { queue.after(10.2) { self.redis.restart() } }
    queue.run(until: scenario.end + 60)
    figures.droppedWrites = nodes.reduce(0) { $0 + $1.writes.dropped }
    return figures
  }

  // MARK: Faults

  private var isInWindow: Bool { queue.now >= 8 && queue.now < 16 }

  func redisAnswers(_ node: SimulatedNode) -> Bool {
    switch scenario.fault {
    case .redisDown, .bothDown: !isInWindow
    case .split: !(isInWindow && node.index < scenario.nodes / 2)
    default: true
    }
  }

  var bucketFailure: Double {
    switch scenario.fault {
    case .bucketErrors: 0.3
    case .bucketDown, .bothDown: 1
    case .bucketDownAWhile: isInWindow ? 1 : 0
    default: 0
    }
  }

  var bucketSlowness: Double { scenario.fault == .bucketSlow ? 10 : 1 }

  // MARK: Traffic

  private func arrive(_ node: SimulatedNode) {
    guard queue.now < scenario.end else { return }
    queue.after(random.exponential(scenario.rate)) { self.arrive(node) }
    let wanted = random.unit() * (sums.last ?? 1)
    var (low, high) = (0, scenario.keys - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    request(node, low)
  }

  private func purge() {
    let purge = SharedPurge(.selection(.tag("hot")), mode: scenario.isSoft ? .stale : .gone)
    for node in nodes {
      // By message, or by the next poll.
      let delay = redisAnswers(node) ? random.logNormal(Latency(p50: 0.001, p99: 0.01)) : random.unit() * 10
      queue.after(delay) { _ = node.table.apply(purge, number: node.table.position + 1) }
    }
  }

  func verdict(_ node: SimulatedNode, _ key: Int, _ position: Int) -> PurgeVerdict {
    node.table.verdict(source: sources[key], tags: key < scenario.purgedKeys ? ["hot"] : [], at: position)
  }

  private func request(_ node: SimulatedNode, _ key: Int) {
    let start = queue.now
    figures.requests += 1
    let position = node.records.read(key)
    switch position.map({ verdict(node, key, $0) }) {
    case .valid:
      return answer(node, key, position, since: start, cost: 0.000_2, mayBeStale: false)
    case .stale:
      figures.staleServed += 1
      answer(node, key, position, since: start, cost: 0.000_2, mayBeStale: true)
      if node.joined[key] == nil {
        node.joined[key] = []
        obtain(node, key, waits: false)
      }
    case .gone, nil:
      let isFirst = node.joined[key] == nil
      node.joined[key, default: []].append { position in
        self.answer(node, key, position, since: start, cost: 0, mayBeStale: false)
      }
      if isFirst { obtain(node, key, waits: true) }
    }
  }

  private func answer(
    _ node: SimulatedNode, _ key: Int, _ position: Int?, since start: Double, cost: Double, mayBeStale: Bool
  ) {
    guard let position else { return }
    figures.answered += 1
    figures.latencies.append((Float(start), Float(queue.now - start + cost)))
    // The purges that the node has applied, counted without its table: there is one.
    let isPurged = key < scenario.purgedKeys && node.table.position > position
    if isPurged, !mayBeStale || !scenario.isSoft { figures.violations += 1 }
  }

  /// The flight of a node has ended.
  func finish(_ node: SimulatedNode, _ key: Int, _ position: Int?) {
    let callers = node.joined.removeValue(forKey: key) ?? []
    guard let position else {
      // A refresh by another node has no waiting callers; later callers begin anew.
      guard !callers.isEmpty else { return }
      node.joined[key] = callers
      return obtain(node, key, waits: true)
    }
    guard verdict(node, key, position) == .valid else {
      // A purge came between: once more.
      guard !callers.isEmpty || scenario.isSoft else { return }
      node.joined[key] = callers
      return obtain(node, key, waits: true)
    }
    node.records.store(key, position: position)
    for caller in callers { caller(position) }
  }
}
