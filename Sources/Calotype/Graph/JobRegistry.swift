import CalotypeSupport

/// The jobs of a pipeline: those that can be joined, how many there are, and whether more may come.
final class JobRegistry: CallerCounting {
  private enum Phase: Sendable {
    case open
    /// What was begun may be brought to its end.
    case closed(PipelineError)
    case aborted(PipelineError)
  }

  private struct State {
    var phase = Phase.open
    /// Jobs that were made and have not ended, those that wait for their turn included.
    var jobs = 0
    /// Those of them that callers asked for.
    var requests = 0
    var callers = 0
    var refused = 0
    /// Those who wait until there are none.
    var idling: [Waiter<Void>] = []
  }

  let images = JobTable<ImageResult>()
  let originals = JobTable<OriginalData>()
  let loads = JobTable<OriginalData>()
  private let jobLimit: Int
  private let callerLimit: Int
  private let state = Lock(State())

  /// - Parameters:
  ///   - jobLimit: How many jobs of callers there may be.
  ///   - callerLimit: How many callers may wait for them.
  init(jobLimit: Int, callerLimit: Int) {
    self.jobLimit = max(1, jobLimit)
    self.callerLimit = max(1, callerLimit)
  }

  func callerLeft() {
    state.withLock { $0.callers -= 1 }
  }

  /// A place for one more who waits; `nil` when there are too many.
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

  /// Whether jobs may be joined.
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

  /// Counts a new job, which has to be told by ``ended(isOfJob:)``.
  ///
  /// - Parameter isOfJob: Whether another job needs it: what was begun may be brought to its end, until all is aborted.
  /// - Returns: Whether there may be one more.
  /// - Throws: ``PipelineError/shutDown``.
  func begin(isOfJob: Bool) throws -> Bool {
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
      return true
    }
  }

  /// A job and its work have ended.
  func ended(isOfJob: Bool) {
    let idling = state.withLock { state -> [Waiter<Void>] in
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

  /// Takes no more jobs of callers.
  func close(_ error: PipelineError) {
    state.withLock { state in
      if case .open = state.phase { state.phase = .closed(error) }
    }
  }

  /// Takes no more jobs at all, and ends those there are.
  func abort(_ error: PipelineError) {
    state.withLock { $0.phase = .aborted(error) }
    // A job that was let in before is in a table by now, or will be when the lock of its stripe is free.
    for job in images.all { job.abort(error) }
    for job in originals.all { job.abort(error) }
    for job in loads.all { job.abort(error) }
  }

  /// Ends all jobs there are; others may follow.
  func cancelAll() {
    for job in images.all { job.abort(CancellationError()) }
    for job in originals.all { job.abort(CancellationError()) }
    for job in loads.all { job.abort(CancellationError()) }
  }

  /// Whether callers are refused.
  var isClosed: Bool { state.withLock { if case .open = $0.phase { false } else { true } } }
  /// Whether nothing can be joined.
  var isEmpty: Bool { images.count == 0 && originals.count == 0 && loads.count == 0 }
  /// Whether nothing is being done, and nobody waits for that.
  var isIdle: Bool { state.withLock { $0.jobs == 0 && $0.idling.isEmpty } }
  /// Jobs that were made and have not ended.
  var jobCount: Int { state.withLock { $0.jobs } }
  /// Those of them that callers asked for.
  var requestCount: Int { state.withLock { $0.requests } }
  /// Callers that were refused.
  var refused: Int { state.withLock { $0.refused } }
  /// Whether something has not been made, or not been stored yet.
  var isBusy: Bool {
    images.all.contains { !$0.isSettled } || originals.all.contains { !$0.isSettled }
      || loads.all.contains { !$0.isSettled }
  }

  /// Waits until all jobs that there are have ended and stored what they made, or the task is cancelled.
  func settle() async {
    for job in images.all { await job.waitUntilStored() }
    // Afterwards: those above start those below.
    for job in originals.all { await job.waitUntilStored() }
    for job in loads.all { await job.waitUntilStored() }
  }
}
