/// All scenarios, and the bars that the library keeps.
struct Simulation {
  var nodes = 20
  var seeds = 3
  /// A few scenarios with little traffic, for tests.
  var isShort = false

  struct Row {
    var scenario: Scenario
    var runs: [Figures]

    func mean(_ value: (Figures) -> Double) -> Double {
      runs.reduce(0) { $0 + value($1) } / Double(max(1, runs.count))
    }
    func worst(_ value: (Figures) -> Double) -> Double { runs.map(value).max() ?? 0 }
  }

  private func row(_ name: String, _ change: (inout Scenario) -> Void = { _ in }) -> Row {
    var scenario = Scenario(name: name)
    scenario.nodes = nodes
    if isShort { (scenario.rate, scenario.keys, scenario.purgedKeys, scenario.memory) = (60, 600, 60, 600) }
    change(&scenario)
    let runs = (1...max(1, seeds)).map { seed in
      scenario.seed = UInt64(seed)
      return World(scenario).run()
    }
    return Row(scenario: scenario, runs: runs)
  }

  func run(_ tell: (Row) -> Void) -> [Bar] {
    var bars: [Bar] = []
    func bar(_ name: String, _ value: Double, _ limit: Double) {
      bars.append(Bar(name: name, value: value, limit: limit))
    }
    func tried(_ name: String, _ change: (inout Scenario) -> Void = { _ in }) -> Row {
      let row = row(name, change)
      tell(row)
      bar("\(name): errors", row.worst { Double($0.errors) }, 0)
      bar("\(name): reads older than a purge", row.worst { Double($0.violations) }, 0)
      return row
    }
    func p99(_ row: Row) -> Double { row.mean { $0.latency(0.99, from: 10, to: 20) } }
    let slow = Latency(p50: 1, p99: 5)

    for (name, origin) in [("fast origin", Scenario(name: "").origin), ("slow origin", slow)] {
      let none = tried("none, \(name)") { ($0.coordinates, $0.origin) = (false, origin) }
      let hard = tried("leases, \(name)") { $0.origin = origin }
      bar("\(name): fetches an object", hard.mean(\.fetchesPerObject), 1.1)
      bar("\(name): most fetches of an object", hard.worst { Double($0.mostFetches) }, 2)
      bar("\(name): p99 of a hard purge, of that of none", p99(hard) / p99(none), 1.75)
      bar("\(name): commands a request", hard.mean(\.commandsPerRequest), 0.12)
      bar(
        "\(name): GETs, of those of none", hard.mean { Double($0.gets) } / none.mean { Double($0.gets) }, 1.3)
      if origin == slow {
        bar(
          "\(name): peak, of that of none", hard.mean { Double($0.peak) } / none.mean { Double($0.peak) },
          0.35)
      }
      if isShort { break }
    }
    let soft = tried("leases, soft purge") { $0.isSoft = true }
    bar("soft purge: p99.9 in ms", soft.worst { $0.latency(0.999, from: 10, to: 20) }, 1)
    let cold = tried("leases, cold start") { ($0.isWarm, $0.purgeTime, $0.end) = (false, nil, 12) }
    bar("cold start: fetches an object", cold.mean(\.fetchesPerObject), 1.1)
    if !isShort {
      let many = tried("leases, 100 nodes") { ($0.nodes, $0.rate) = (100, 30) }
      bar("100 nodes: fetches an object", many.mean(\.fetchesPerObject), 1.1)
      let tail = tried("leases, tail of 50,000 keys") {
        ($0.keys, $0.exponent, $0.rate, $0.memory, $0.purgedKeys) = (50_000, 0.9, 50, 4_000, 300)
      }
      bar("tail: fetches an object", tail.mean(\.fetchesPerObject), 1.1)
    }
    for fault in Scenario.Fault.allCases where fault != .none {
      if isShort, ![.redisDown, .split, .holdersDie, .bucketDown].contains(fault) { continue }
      for isInline in [true, false] {
        let name = "\(fault.rawValue), \(isInline ? "small" : "large")"
        let row = tried(name) { ($0.fault, $0.isInline) = (fault, isInline) }
        if let limit = Self.limit(fault, isInline: isInline) {
          // One in twenty objects weighs much in a short run.
          bar("\(name): fetches an object", row.mean(\.fetchesPerObject), isShort ? limit * 1.5 : limit)
        }
      }
    }
    return bars
  }

  /// The most fetches an object while something is broken; `nil` where there is nothing to share by.
  private static func limit(_ fault: Scenario.Fault, isInline: Bool) -> Double? {
    switch fault {
    case .none: 1.1
    case .redisDown, .redisRestarted, .split: 1.6
    case .holdersDie, .holdersFreeze: 1.4
    case .bucketErrors: 4
    case .bucketDown, .bucketDownAWhile: isInline ? 5 : nil
    case .bucketSlow: 5
    case .bothDown: nil
    }
  }
}
