import CalotypeSupport

/// The registry of a pipeline's jobs: finds those that can be joined, counts them, and admits new ones.
final class JobRegistry: CallerCounting {
  private enum Phase: Sendable {
    case open
    /// Jobs in progress may complete.
    case closed(PipelineError)
    case aborted(PipelineError)
  }

  private struct State {
    var phase = Phase.open
    /// The number of jobs that have not ended, including those that wait for their turn.
    var jobs = 0
    /// The number of those jobs that callers requested.
    var requests = 0
    var callers = 0
    var refused = 0
    /// The jobs that perform work on images at hand.
    var works: [ObjectIdentifier: any AnyJob] = [:]
    /// The waiters for the registry to become idle.
    var idling: [Waiter<Void>] = []
  }

  let encodings = JobTable<EncodedImage>()
  let infos = JobTable<InfoResponse>()
  let images = JobTable<ImageResult>()
  let originals = JobTable<OriginalData>()
  let loads = JobTable<OriginalData>()
  /// All tables: the jobs of each start jobs of those behind it.
  private var tables: [any AnyJobTable] { [encodings, infos, images, originals, loads] }
  private let jobLimit: Int
  private let callerLimit: Int
  private let state = Lock(State())

  /// - Parameters:
  ///   - jobLimit: The maximum number of jobs of callers.
  ///   - callerLimit: The maximum number of callers that may wait for them.
  init(jobLimit: Int, callerLimit: Int) {
    self.jobLimit = max(1, jobLimit)
    self.callerLimit = max(1, callerLimit)
  }

  func callerLeft() {
    state.withLock { $0.callers -= 1 }
  }

  /// Admits one more caller; returns `nil` when there are too many.
  ///
  /// - Throws: ``PipelineError/shutDown``.
  func admitCaller() throws -> CallerPlace? {
    let isAdmitted = try state.withLock { state -> Bool in
      switch state.phase {
      case .open: break
      case .closed(let error), .aborted(let error): throw error
      }
      guard state.callers < callerLimit else {
        state.refused += 1
        return false
      }
      state.callers += 1
      return true
    }
    return isAdmitted ? CallerPlace(self) : nil
  }

  /// Checks that jobs may be joined.
  ///
  /// - Throws: ``PipelineError/shutDown``.
  func checkOpen(isOfJob: Bool) throws {
    try state.withLock { state in
      switch state.phase {
      case .open: break
      case .closed(let error): if !isOfJob { throw error }
      case .aborted(let error): throw error
      }
    }
  }

  /// Counts a new job, whose end has to be reported with ``ended(isOfJob:_:)``.
  ///
  /// - Parameters:
  ///   - isOfJob: Whether another job needs it: jobs in progress may complete, until all are aborted.
  ///   - work: The job, if it is in none of the tables.
  /// - Returns: Whether the job is admitted.
  /// - Throws: ``PipelineError/shutDown``.
  func begin(isOfJob: Bool, _ work: (any AnyJob)? = nil) throws -> Bool {
    try state.withLock { state in
      switch state.phase {
      case .open: break
      case .closed(let error): if !isOfJob { throw error }
      case .aborted(let error): throw error
      }
      guard isOfJob || state.requests < jobLimit else {
        state.refused += 1
        return false
      }
      state.jobs += 1
      if !isOfJob { state.requests += 1 }
      if let work { state.works[ObjectIdentifier(work)] = work }
      return true
    }
  }

  /// Records that a job and its work have ended.
  func ended(isOfJob: Bool, _ work: (any AnyJob)? = nil) {
    let idling = state.withLock { state -> [Waiter<Void>] in
      if let work { state.works[ObjectIdentifier(work)] = nil }
      state.jobs -= 1
      if !isOfJob { state.requests -= 1 }
      guard state.jobs == 0 else { return [] }
      defer { state.idling = [] }
      return state.idling
    }
    for waiter in idling { waiter.resolve(()) }
  }

  /// Waits until the work of the last job has ended.
  func idle() async {
    let waiter = state.withLock { state -> Waiter<Void>? in
      guard state.jobs > 0 else { return nil }
      let waiter = Waiter<Void>()
      state.idling.append(waiter)
      return waiter
    }
    await waiter?.value()
  }

  /// Rejects new jobs of callers.
  func close(_ error: PipelineError) {
    state.withLock { state in
      if case .open = state.phase { state.phase = .closed(error) }
    }
  }

  /// Rejects all new jobs, and aborts the existing ones.
  func abort(_ error: PipelineError) {
    state.withLock { $0.phase = .aborted(error) }
    // A job that was admitted before is in a table by now, or will be when the lock of its stripe is free.
    abortAll(error)
  }

  /// Cancels all existing jobs; new ones may follow.
  func cancelAll() { abortAll(CancellationError()) }

  private func abortAll(_ error: any Error) {
    for table in tables { table.abortAll(error) }
    for job in works { job.abort(error) }
  }

  private var works: [any AnyJob] { state.withLock { Array($0.works.values) } }

  /// Whether callers are rejected.
  var isClosed: Bool { state.withLock { if case .open = $0.phase { false } else { true } } }
  /// Whether there are no jobs to join.
  var isEmpty: Bool { tables.allSatisfy { $0.count == 0 } }
  /// Whether there are no jobs, and no waiters for that.
  var isIdle: Bool { state.withLock { $0.jobs == 0 && $0.idling.isEmpty } }
  /// The number of jobs that have not ended.
  var jobCount: Int { state.withLock { $0.jobs } }
  /// The number of those jobs that callers requested.
  var requestCount: Int { state.withLock { $0.requests } }
  /// The number of rejected callers.
  var refused: Int { state.withLock { $0.refused } }
  /// Whether a job is still producing or storing its result.
  var isBusy: Bool { tables.contains { $0.isBusy } || works.contains { !$0.isSettled } }

  /// Waits until all existing jobs have ended and stored their results, or the task is cancelled.
  func settle() async {
    for table in tables { await table.settle() }
    for job in works { await job.waitUntilStored() }
  }

  /// Prevents further subscriptions to the jobs of some keys; they continue for their present subscribers.
  func detach(where isMeant: (JobKey) -> Bool) {
    // Backwards, so that no job begun after a step joins one from before it. Twice images, because they join each other
    // for the steps of their transforms.
    for table in tables.reversed() {
      table.detach(where: isMeant)
      if table === images { table.detach(where: isMeant) }
    }
  }
}
