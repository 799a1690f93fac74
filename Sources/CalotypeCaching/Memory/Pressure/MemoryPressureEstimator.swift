import CalotypeSupport

/// Estimates memory pressure from measurements. A value without I/O.
struct MemoryPressureEstimator: Sendable {
  /// The measurements of one moment.
  struct Sample: Sendable {
    /// Nanoseconds since an arbitrary moment.
    var time: Int64
    var usages: [MemoryControlGroups.Usage] = []
    var events = MemoryControlGroups.Events()
    var stalls: PressureStalls?
  }

  /// Fractions of the limit above which a working set is too large. It excludes page cache that is easily reclaimed, so
  /// it does not approach the limit by itself.
  static let (warningShare, criticalShare) = (0.9, 0.97)
  /// The window over which stalls are summed and events count, in nanoseconds.
  static let window: Int64 = 2_000_000_000
  /// Microseconds per window in which some task, or all tasks, waited for memory.
  static let (someStalls, allStalls) = (150_000, 100_000)

  /// Samples of the last window, oldest first, and one older sample.
  private var history: [Sample] = []

  mutating func level(_ sample: Sample) -> MemoryPressure.Level {
    history.append(sample)
    while history.count > 2, history[1].time <= sample.time - Self.window { history.removeFirst() }
    let first = history[0]
    var level = MemoryPressure.Level.normal
    for usage in sample.usages {
      let share = Double(usage.workingSet) / Double(usage.limit)
      if share >= Self.criticalShare { return .critical }
      if share >= Self.warningShare { level = .warning }
    }
    if sample.events.outOfMemory > first.events.outOfMemory { return .critical }
    // A group that reaches its limit by page cache is not short of memory: that is the purpose of the limit.
    let isHalfFull = sample.usages.contains { $0.workingSet >= $0.limit / 2 }
    if isHalfFull, sample.events.limits > first.events.limits { level = .warning }
    if let now = sample.stalls, let before = first.stalls {
      // If the first sample is older than a window, the thresholds grow in proportion.
      let windows = max(1, Double(sample.time - first.time) / Double(Self.window))
      if Double(now.all - before.all) >= Double(Self.allStalls) * windows { return .critical }
      if Double(now.some - before.some) >= Double(Self.someStalls) * windows { level = .warning }
    }
    return level
  }
}

/// Microseconds that tasks have waited for memory in all: the totals of a pressure stall information (PSI) file.
struct PressureStalls: Hashable, Sendable {
  /// At least one task waited.
  var some: Int
  /// All tasks waited at once.
  var all: Int

  /// Reads `some avg10=… total=1` and `full avg10=… total=2`; `nil` for anything else.
  init?(_ text: String) {
    var totals: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let kind = words.first, let total = words.last, total.hasPrefix("total=") else { continue }
      totals[kind] = Int(total.dropFirst("total=".count))
    }
    guard let some = totals["some"] else { return nil }
    self.some = some
    // Old kernels have no such line for the machine as a whole.
    all = totals["full"] ?? 0
  }
}
