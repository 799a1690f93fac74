/// How many pieces of work a second whole processes do, and what memory they take for it.
public struct Throughput: Hashable, Sendable {
  /// Pieces of work a second of wall time, from start to end of the process; the median of its runs.
  public let perSecond: Double
  /// Most bytes resident at a time in one process, in any run.
  public let peakBytes: Int
  /// What it is compared with.
  public let limitName: String
  /// The same of the limit.
  public let limitPerSecond: Double
  /// The same of the limit.
  public let limitPeakBytes: Int

  /// Sums up runs that did `count` pieces of work each, at least one run of both.
  public init(count: Int, limitName: String, runs: [ProcessTime], limitRuns: [ProcessTime]) {
    func rate(_ runs: [ProcessTime]) -> Double {
      Double(count) * 1000 / runs.map(\.wallMilliseconds).sorted()[runs.count / 2]
    }
    func peak(_ runs: [ProcessTime]) -> Int { runs.map(\.peakBytes).max() ?? 0 }
    perSecond = rate(runs)
    peakBytes = peak(runs)
    self.limitName = limitName
    limitPerSecond = rate(limitRuns)
    limitPeakBytes = peak(limitRuns)
  }
}
