/// The door to a server's workers: an ``AdmissionQueue`` that tasks wait at.
///
/// A job is admitted when its ticket is returned, and runs until the ticket is finished, or dropped. Cancelling the task takes a
/// job that waits out of the queue.
///
/// ```swift
/// let admission = Admission(AdmissionConfiguration(workers: 2, byteBudget: 1 << 30), clock: ContinuousClock())
/// let job = AdmissionJob(
///   cost: AdmissionCost(milliseconds: 25, byteCount: 24 << 20), source: "images.example",
///   deadline: admission.now + .seconds(10), formats: CostPair("jpeg", to: "webp"))
/// let body = try await admission.run(job) { ticket in
///   let result = try await render()
///   ticket.finish(actual: result.processorTime)
///   return result.body
/// }
/// ```
///
/// Predictions are corrected by a ``CostLearner`` before they reach the queue. All members can be used from any task or thread;
/// none blocks but for a short critical section, and no lock is held while a task waits.
public final class Admission: Sendable {
  private struct State: Sendable {
    var queue: AdmissionQueue
    var learner = CostLearner()
    var answers: [Int: (answer: AdmissionAnswer, submitted: Duration)] = [:]
    var alarm: Alarm?
    var alarmNumber = 0
  }

  /// The task that refuses jobs whose time is over.
  private struct Alarm: Sendable {
    let number: Int
    let time: Duration
    let task: Task<Void, Never>
  }

  private let state: Lock<State>
  private let readClock: @Sendable () -> Duration
  private let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// Creates a queue without jobs.
  ///
  /// - Parameter clock: Tells the time of waits and deadlines.
  public init<C: Clock>(_ configuration: AdmissionConfiguration, clock: C)
  where C.Duration == Duration, C.Instant: Sendable {
    state = Lock(State(queue: AdmissionQueue(configuration)))
    let start = clock.now
    readClock = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  deinit {
    state.withLock { $0.alarm?.task }?.cancel()
  }

  /// The time since the creation of this object, for ``AdmissionJob/deadline``.
  public var now: Duration { readClock() }

  /// Waits until a job may run.
  ///
  /// - Returns: The ticket, which has to be held while the job runs.
  /// - Throws: ``AdmissionRefusal``; `CancellationError` when the task is cancelled before the job runs.
  public func admit(_ job: AdmissionJob) async throws -> AdmissionTicket {
    try Task.checkCancellation()
    let predicted = job.cost.duration
    let answer = AdmissionAnswer()
    let id = perform { state, now in
      var corrected = job
      corrected.cost = AdmissionCost(
        duration: state.learner.corrected(predicted, for: job.formats), byteCount: job.cost.byteCount)
      let (id, actions) = state.queue.submit(corrected, at: now)
      state.answers[id] = (answer, now)
      return (id, actions)
    }
    let outcome: AdmissionAnswer.Outcome
    if let known = answer.outcome {
      outcome = known
    } else {
      outcome = await withTaskCancellationHandler {
        await answer.wait()
      } onCancel: {
        cancel(id, answer)
      }
    }
    switch outcome {
    case .started(let wait):
      let ticket = AdmissionTicket(id: id, of: self, wait: wait, predicted: predicted, formats: job.formats)
      if Task.isCancelled {
        ticket.finish()
        throw CancellationError()
      }
      return ticket
    case .refused(let refusal): throw refusal
    case .cancelled: throw CancellationError()
    }
  }

  /// Waits until a job may run, and runs it.
  ///
  /// - Parameter body: The work. It may finish the ticket itself, to report the processor time; at its end the job is over in
  ///   any case.
  /// - Throws: As ``admit(_:)``; errors of `body`.
  public func run<Result>(
    _ job: AdmissionJob, _ body: (_ ticket: AdmissionTicket) async throws -> Result
  ) async throws -> Result {
    let ticket = try await admit(job)
    defer { ticket.finish() }
    return try await body(ticket)
  }

  /// Refuses work whose source is not loaded yet, if so much waits that preparing it would only delay the rest.
  ///
  /// - Throws: ``AdmissionRefusal``.
  public func checkPreparation(from source: String) throws(AdmissionRefusal) {
    let now = readClock()
    if let refusal = state.withLock({ $0.queue.refusal(from: source, at: now) }) { throw refusal }
  }

  /// Changes the budgets. Jobs that run keep what they have.
  public func setBudgets(workers: Int, byteBudget: Int) {
    perform { state, now in
      ((), state.queue.setBudgets(workers: workers, byteBudget: byteBudget, at: now))
    }
  }

  /// Refuses all later jobs. Those that wait and run are not affected.
  public func close() {
    state.withLock { $0.queue.close() }
  }

  /// The counters and gauges of this moment.
  public var statistics: AdmissionStatistics {
    let now = readClock()
    return state.withLock { AdmissionStatistics(of: $0.queue, ratios: $0.learner.ratios, at: now) }
  }

  /// Ends a job: called by its ticket, once.
  func finish(_ id: Int, predicted: Duration, actual: Duration?, formats: CostPair?) {
    perform { state, now in
      if let formats, let actual { state.learner.record(predicted: predicted, actual: actual, for: formats) }
      return ((), state.queue.finish(id, actual: actual, at: now))
    }
  }

  private func cancel(_ id: Int, _ answer: AdmissionAnswer) {
    let wasWaiting = perform { state, now in
      let (wasWaiting, actions) = state.queue.cancel(id, at: now)
      if wasWaiting { state.answers[id] = nil }
      return (wasWaiting, actions)
    }
    // If it did not wait any more, another outcome is set or about to be set.
    if wasWaiting { answer.resolve(.cancelled) }
  }

  /// Changes the state, then carries out the actions that follow, while holding no lock.
  @discardableResult private func perform<Result: Sendable>(
    _ change: (inout State, _ now: Duration) -> (Result, [AdmissionAction])
  ) -> Result {
    // Two tasks may read it in one order and get the lock in the other: the queue takes the later time for both.
    let now = readClock()
    let (result, outcomes, expiry) = state.withLock { state in
      let (result, actions) = change(&state, now)
      let outcomes = actions.compactMap { action -> (AdmissionAnswer, AdmissionAnswer.Outcome)? in
        switch action {
        case .start(let id):
          state.answers.removeValue(forKey: id).map {
            ($0.answer, .started(wait: max(now - $0.submitted, .zero)))
          }
        case .refuse(let id, let refusal):
          state.answers.removeValue(forKey: id).map { ($0.answer, .refused(refusal)) }
        }
      }
      return (result, outcomes, state.queue.nextExpiry)
    }
    for (answer, outcome) in outcomes { answer.resolve(outcome) }
    if let expiry { setAlarm(at: expiry) }
    return result
  }

  /// Starts a task that ticks at a time, unless one does so already or earlier.
  private func setAlarm(at time: Duration) {
    let replaced: Task<Void, Never>? = state.withLock { state in
      if let alarm = state.alarm, alarm.time <= time { return nil }
      let replaced = state.alarm?.task
      state.alarmNumber += 1
      let number = state.alarmNumber
      let task = Task { [weak self, sleep] in
        guard (try? await sleep(time)) != nil else { return }
        self?.ring(number)
      }
      state.alarm = Alarm(number: number, time: time, task: task)
      return replaced
    }
    replaced?.cancel()
  }

  private func ring(_ number: Int) {
    perform { state, now in
      if state.alarm?.number == number { state.alarm = nil }
      return ((), state.queue.tick(at: now))
    }
  }
}
