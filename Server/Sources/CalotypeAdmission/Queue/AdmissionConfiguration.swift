/// The budgets and limits of an ``AdmissionQueue``.
public struct AdmissionConfiguration: Hashable, Sendable {
  /// The number of jobs that run at a time: 1 to 1,024.
  public var workers: Int
  /// The decoded bytes that running jobs may hold together.
  public var byteBudget: Int
  /// The treatment of jobs that need more than ``byteBudget``.
  public var oversize: OversizePolicy
  /// The number of jobs that may wait: at most 1,000,000.
  public var maximumWaiting: Int
  /// The bytes that waiting jobs may hold together.
  public var maximumHeldBytes: Int
  /// The longest predicted wait of a job that is accepted; `nil` for none but its deadline.
  public var maximumWait: Duration?
  /// The longest predicted duration of a job: one that takes longer is never done in time, however idle the machine is. `nil`
  /// for none.
  public var maximumDuration: Duration?
  /// The part of the time left, from 0 to 1, that wait and cost may take when a job is accepted. The rest covers errors of
  /// predictions and jobs that come later but run earlier.
  public var plannedShare: Double
  /// The number of jobs that may overtake a job which waits for bytes, before all others wait for it.
  public var maximumPasses: Int

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - workers: Jobs at a time.
  ///   - byteBudget: Decoded bytes of running jobs.
  public init(workers: Int, byteBudget: Int) {
    self.workers = workers
    self.byteBudget = byteBudget
    oversize = .refuse
    maximumWaiting = 100_000
    maximumHeldBytes = 256 << 20
    maximumWait = .seconds(2)
    plannedShare = 0.8
    maximumPasses = 16
  }

  /// The configuration with each value within its range.
  var bounded: Self {
    var result = self
    result.workers = min(max(workers, 1), 1024)
    result.byteBudget = min(max(byteBudget, 0), 1 << 50)
    if case .runAlone(let limit) = oversize { result.oversize = .runAlone(upTo: min(max(limit, 0), 1 << 50)) }
    result.maximumWaiting = min(max(maximumWaiting, 0), 1_000_000)
    result.maximumHeldBytes = min(max(maximumHeldBytes, 0), 1 << 50)
    result.maximumWait = maximumWait.map { max($0, .zero) }
    result.maximumDuration = maximumDuration.map { max($0, .zero) }
    result.plannedShare = plannedShare.isNaN ? 1 : min(max(plannedShare, 0), 1)
    result.maximumPasses = min(max(maximumPasses, 0), 1024)
    return result
  }
}
