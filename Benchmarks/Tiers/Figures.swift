/// The figures of a run.
struct Figures {
  var requests = 0
  var answered = 0
  /// Fetches from the origin, for each key and generation.
  var fetches: [Int: Int] = [:]
  var running = 0
  var peak = 0
  var gets = 0
  var puts = 0
  var commands = 0
  var waits = 0
  var hedges = 0
  var deaths = 0
  var staleServed = 0
  /// Reads of what an applied purge forbids.
  var violations = 0
  var droppedWrites = 0
  /// When requests began, and what they took, in seconds.
  var latencies: [(start: Float, time: Float)] = []

  var errors: Int { requests - answered }
  var fetchesPerObject: Double {
    fetches.isEmpty ? 0 : Double(fetches.values.reduce(0, +)) / Double(fetches.count)
  }
  var mostFetches: Int { fetches.values.max() ?? 0 }
  var commandsPerRequest: Double { Double(commands) / Double(max(1, requests)) }

  /// A quantile of the requests that began within a time, in milliseconds.
  func latency(_ quantile: Double, from start: Float, to end: Float) -> Double {
    let times = latencies.filter { $0.start >= start && $0.start < end }.map(\.time).sorted()
    guard !times.isEmpty else { return 0 }
    return Double(times[min(times.count - 1, Int(Double(times.count) * quantile))]) * 1_000
  }
}
