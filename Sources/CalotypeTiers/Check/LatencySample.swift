/// Measured times of equal requests. Pure.
struct LatencySample: Hashable, Sendable {
  private var times: [Duration] = []

  /// Adds a time.
  mutating func add(_ time: Duration) { times.append(time) }

  /// The number of times.
  var count: Int { times.count }
  /// The median; zero for none.
  var median: Duration { times.isEmpty ? .zero : times.sorted()[times.count / 2] }
  /// The longest time.
  var worst: Duration { times.max() ?? .zero }

  /// The outcome of a probe.
  ///
  /// - Parameters:
  ///   - limit: The time from which on a request counts as failed in use; `nil` if no caller waits for it.
  ///   - consequence: The meaning of that for Calotype.
  func outcome(limit: Duration?, consequence: String) -> TierFinding.Outcome {
    let text = "median \(Self.text(median)), worst \(Self.text(worst)) of \(count)"
    if let limit, median > limit { return .warning(text, consequence) }
    return .ok(text)
  }

  private static func text(_ time: Duration) -> String {
    let microseconds = Int((time / .microseconds(1)).rounded())
    if microseconds >= 10_000 { return "\((microseconds + 500) / 1_000) ms" }
    let hundredths = (microseconds + 5) / 10
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}
