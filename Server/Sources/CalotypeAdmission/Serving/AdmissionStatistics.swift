/// Counters and gauges of an ``Admission``, for metrics.
public struct AdmissionStatistics: Hashable, Sendable {
  /// The number of waiting jobs.
  public let waiting: Int
  /// The number of running jobs.
  public let running: Int
  /// The decoded bytes that running jobs hold, as predicted.
  public let runningBytes: Int
  /// The bytes that waiting jobs hold.
  public let heldBytes: Int
  /// The number of workers.
  public let workers: Int
  /// The budget of decoded bytes.
  public let byteBudget: Int
  /// The predicted time in which all accepted work is done.
  public let drain: Duration
  /// The time since a job was last started or ended; zero while none waits or runs.
  public let standstill: Duration
  /// The totals since the creation.
  public let counts: AdmissionCounts
  /// The waits of jobs that were started.
  public let waits: WaitHistogram
  /// Predicted and actual costs by formats.
  public let costRatios: [CostPair: CostRatio]

  init(of queue: AdmissionQueue, ratios: [CostPair: CostRatio], at now: Duration) {
    waiting = queue.waitingCount
    running = queue.runningCount
    runningBytes = queue.runningByteCount
    heldBytes = queue.heldByteCount
    workers = queue.configuration.workers
    byteBudget = queue.configuration.byteBudget
    drain = queue.predictedDrain(at: now)
    standstill = queue.standstill(at: now)
    counts = queue.counts
    waits = queue.waits
    costRatios = ratios
  }
}
