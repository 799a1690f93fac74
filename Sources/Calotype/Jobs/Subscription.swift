import CalotypeSupport

/// One subscriber's place in a ``Job``: delivers at most one pending value of each kind, and exactly one
/// ending.
///
/// One task at a time may await ``value()`` or ``next(_:)``. Cancelling that task, or ``leave()``, ends the
/// subscription at once; a caller's subscription also ends when it is released. The subscription holds a
/// place, but no reserved memory.
final class Subscription<Value: Sendable>: Sendable {
  let job: Job<Value>
  private let id: Job<Value>.Machine.ID
  let want: SubscriptionOptions
  /// The observation of a priority that may change.
  private let observation: Lock<LivePriority.Observation?>?

  init(job: Job<Value>, id: Int, want: SubscriptionOptions) {
    self.job = job
    self.id = id
    // The job releases the place among all callers when it ends, even if the result is never taken.
    self.want = want.with { $0.caller = nil }
    observation = want.priority == nil ? nil : Lock(nil)
  }

  deinit {
    observation?.withLock { $0.take() }?.cancel()
    job.forget(id, want)
  }

  /// Returns the value that the job ends with.
  ///
  /// - Throws: the job's error; `CancellationError` when the calling task is cancelled.
  func value() async throws -> Value {
    while true {
      if case .ended(let value) = try await next([]) { return value }
    }
  }

  /// Returns the first acceptable value, interim or final.
  ///
  /// - Throws: as ``value()``.
  func firstValue() async throws -> (Value, isInterim: Bool) {
    while true {
      switch try await next(.interim) {
      case .interim(let value): return (value, true)
      case .ended(let value): return (value, false)
      case .started, .arrived, .preview: continue
      }
    }
  }

  /// Returns the newest event of interest that was not delivered yet, or the ending.
  func next(_ interests: EventMask) async throws -> JobEvent<Value> {
    var (call, ready) = job.beginCall(id, interests)
    while true {
      if let ready { return try ready.get() }
      await wait(call, interests)
      ready = job.take(id, call: call, interests)
    }
  }

  /// Waits for an event. Separate from taking it, whose locals would otherwise stay in the memory of every
  /// waiting task.
  private func wait(_ call: Int, _ interests: EventMask) async {
    let waiter = Waiter<Void>()
    job.wait(id, call: call, interests, waiter)
    await withTaskPriorityEscalationHandler {
      await withTaskCancellationHandler {
        await waiter.value()
      } onCancel: {
        leave()
      }
    } onPriorityEscalated: { [want] _, priority in
      // A waiting task lends its priority to the job.
      if let live = want.priority {
        if priority > live.value { live.set(priority) }
      } else if priority > want.level {
        job.reprioritise(id) { priority }
      }
    }
  }

  /// Reports the progress of the transfer again, to a subscriber that would now use it differently.
  func lookAgain() {
    job.lookAgain(id)
  }

  /// Makes the job follow the priority of the subscriber, if that may change.
  func followPriority() {
    guard let live = want.priority else { return }
    let observation = live.observe { [weak self] in
      guard let self else { return }
      job.reprioritise(id) { live.value }
    }
    self.observation?.withLock { $0 = observation }
    // The priority may have changed before it was observed.
    job.reprioritise(id) { live.value }
  }

  /// Delivers the present state again, for a new observer that continues the subscription of another.
  func startOver() { job.startOver(id) }

  /// Gives up the value but stays until the end, for a job that holds the reservations itself.
  func letGo() { job.letGo(id) }

  /// Leaves the job; a pending call ends with `error`. Repeated calls have no effect.
  func leave(_ error: any Error = CancellationError()) {
    observation?.withLock { $0.take() }?.cancel()
    job.leave(id, want, error)
  }
}
