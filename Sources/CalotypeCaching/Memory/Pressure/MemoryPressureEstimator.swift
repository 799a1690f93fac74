import CalotypeSupport

/// Decides from what was measured how short memory is. A value without I/O.
struct MemoryPressureEstimator: Sendable {
  /// What was measured at one moment.
  struct Sample: Sendable {
    /// Nanoseconds, from any beginning.
    var time: Int64
    var usages: [MemoryControlGroups.Usage] = []
    var events = MemoryControlGroups.Events()
    var stalls: PressureStalls?
  }

  /// Shares of the limit from which on a working set is too large. It counts no caches of files that are easily had
  /// back, so it does not come near the limit by itself.
  static let (warningShare, criticalShare) = (0.9, 0.97)
  /// How long stalls are added up, and how long an event counts, in nanoseconds.
  static let window: Int64 = 2_000_000_000
  /// Microseconds within a window in which some task, or every task, waited for memory.
  static let (someStalls, allStalls) = (150_000, 100_000)

  /// Since one window ago, oldest first, with one older than that.
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
    // A group at its limit because of files that it read is not short of memory: that is what the limit is for.
    let isHalfFull = sample.usages.contains { $0.workingSet >= $0.limit / 2 }
    if isHalfFull, sample.events.limits > first.events.limits { level = .warning }
    if let now = sample.stalls, let before = first.stalls {
      // A first sample older than a window makes it longer: then so much more counts.
      let windows = max(1, Double(sample.time - first.time) / Double(Self.window))
      if Double(now.all - before.all) >= Double(Self.allStalls) * windows { return .critical }
      if Double(now.some - before.some) >= Double(Self.someStalls) * windows { level = .warning }
    }
    return level
  }
}

/// Microseconds that tasks waited for memory since the group or the machine began: the totals of a file of pressure
/// stall information.
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
    // The machine as a whole has no such line in old kernels.
    all = totals["full"] ?? 0
  }
}
