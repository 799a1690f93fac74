/// Decides which jobs run, wait, or are refused. A pure value: it knows time only as it is told.
///
/// Two budgets bound what runs: workers and decoded bytes. Jobs that wait are ordered by source and by predicted cost: each
/// source has the same share of the processor time, and within a source the shortest job goes first, where waiting counts
/// double. A job is refused at once when its predicted wait and its cost exceed the time that it has left, or when too many
/// wait; so that nearly all jobs that are accepted run, and those that are refused know it immediately.
///
/// A job that does not fit into the bytes that are left may be overtaken by others that do, a limited number of times. Then
/// all wait for it.
///
/// ```swift
/// var queue = AdmissionQueue(AdmissionConfiguration(workers: 2, byteBudget: 1 << 30))
/// let (id, actions) = queue.submit(job, at: now)
/// // Carry out the actions; later:
/// let next = queue.finish(id, actual: .milliseconds(25), at: later)
/// ```
///
/// All operations are O(log *n*) in the number of waiting jobs, but for O(*w* log *w*) in the number of workers to predict a wait.
/// Times are durations since any fixed moment, and do not decrease.
public struct AdmissionQueue: Sendable {
  /// A job that waits.
  struct Waiting: Sendable {
    let line: Int
    let entry: OrderTree.Entry
    let cost: Int64
    let byteCount: Int
    let heldByteCount: Int
    let submitted: Int64
    /// The wait as predicted from the work before it, in nanoseconds.
    let predictedWait: Int64
    /// The last time at which the job can start; `nil` without a deadline.
    let latestStart: Int64?
    /// The number of jobs that have started while this one did not fit.
    var passes = 0
  }

  /// The budgets and limits, within their ranges.
  public internal(set) var configuration: AdmissionConfiguration
  /// The counters.
  public internal(set) var counts = AdmissionCounts()
  /// The histogram of the waits of started jobs.
  public internal(set) var waits = WaitHistogram()
  /// A Boolean value that indicates whether further jobs are refused.
  public private(set) var isClosed = false

  var shares = SourceShares()
  var running = RunningJobs()
  var waiting: [Int: Waiting] = [:]
  /// Waiting jobs with a deadline, by the last time at which they can start.
  var expiries = OrderTree()
  /// Processor time × bytes of all waiting jobs.
  var waitingByteTime = 0.0
  /// The bytes that waiting jobs hold.
  public internal(set) var heldByteCount = 0
  private var nextID = 1
  private var latest: Int64 = 0
  /// The last time at which a job was started or ended, or the first one came into an idle queue.
  var lastMovement: Int64 = 0

  /// Creates an empty queue.
  public init(_ configuration: AdmissionConfiguration) {
    self.configuration = configuration.bounded
  }

  /// The number of waiting jobs.
  public var waitingCount: Int { waiting.count }
  /// The number of running jobs.
  public var runningCount: Int { running.count }
  /// The decoded bytes that running jobs may hold: at most the budget, unless one job runs alone.
  public var runningByteCount: Int { running.byteCount }
  /// The number of sources that are known.
  public var sourceCount: Int { shares.count }
  /// The time at which ``tick(at:)`` has an effect; `nil` for none.
  public var nextExpiry: Duration? { expiries.first.map { .nanoseconds($0.entry.key + 1) } }

  /// Returns the time since a job was last started or ended; zero while none waits or runs.
  public func standstill(at now: Duration) -> Duration {
    guard waitingCount > 0 || runningCount > 0 else { return .zero }
    return .nanoseconds(max(Nanoseconds.of(now) - lastMovement, 0))
  }

  /// Adds a job.
  ///
  /// - Returns: The number of the job, which is new, and the actions, among them possibly one for this job.
  public mutating func submit(_ job: AdmissionJob, at now: Duration) -> (id: Int, actions: [AdmissionAction])
  {
    let now = advance(to: now)
    let id = nextID
    nextID += 1
    counts.submitted += 1
    var actions: [AdmissionAction] = []
    expire(at: now, &actions)
    if let refusal = refusal(of: job, at: now) {
      refuse(id, refusal, &actions)
      return (id, actions)
    }
    if waiting.isEmpty, running.count == 0 { lastMovement = now }
    insert(id, job, at: now)
    startNext(at: now, &actions)
    return (id, actions)
  }

  /// Ends a job that runs; does nothing if it does not.
  ///
  /// - Parameter actual: The processor time that it has taken, if known: the share of its source is charged the difference.
  public mutating func finish(_ id: Int, actual: Duration? = nil, at now: Duration) -> [AdmissionAction] {
    let now = advance(to: now)
    var actions: [AdmissionAction] = []
    guard let job = running.remove(id) else { return actions }
    counts.finished += 1
    lastMovement = now
    let cost = actual.map { min(max(Nanoseconds.of($0), 0), Nanoseconds.maximumCost) } ?? job.cost
    shares.finish(job.line, excess: cost - job.cost)
    expire(at: now, &actions)
    startNext(at: now, &actions)
    return actions
  }

  /// Takes a job that waits out of the queue. A job that runs goes on until ``finish(_:actual:at:)``.
  ///
  /// - Returns: Whether the job waited, and the actions for other jobs.
  public mutating func cancel(_ id: Int, at now: Duration) -> (wasWaiting: Bool, actions: [AdmissionAction]) {
    let now = advance(to: now)
    var actions: [AdmissionAction] = []
    guard remove(id) != nil else { return (false, actions) }
    counts.cancelled += 1
    expire(at: now, &actions)
    // It may have been the one that all others waited for.
    startNext(at: now, &actions)
    return (true, actions)
  }

  /// Refuses the jobs whose time no longer suffices.
  public mutating func tick(at now: Duration) -> [AdmissionAction] {
    let now = advance(to: now)
    var actions: [AdmissionAction] = []
    expire(at: now, &actions)
    startNext(at: now, &actions)
    return actions
  }

  /// Changes the budgets, such as when the limits of the control group change. Jobs that run keep what they have.
  public mutating func setBudgets(workers: Int, byteBudget: Int, at now: Duration) -> [AdmissionAction] {
    configuration.workers = workers
    configuration.byteBudget = byteBudget
    configuration = configuration.bounded
    return tick(at: now)
  }

  /// Refuses all later jobs. Those that wait and run are not affected.
  public mutating func close() {
    isClosed = true
  }

  private mutating func advance(to now: Duration) -> Int64 {
    latest = max(latest, min(max(Nanoseconds.of(now), 0), Nanoseconds.maximumTime))
    return latest
  }
}
