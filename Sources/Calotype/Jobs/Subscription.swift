import CalotypeSupport

/// One caller's place in a ``Job``: of what happens at most one pending value of each kind, and exactly one ending.
///
/// ``value()`` or ``next(_:)`` is awaited by one task at a time. Cancelling that task, or ``leave()``, ends the
/// subscription at once; that of a caller also ends when it is not held any more. It holds a place, and nothing that is
/// reserved.
final class Subscription<Value: Sendable>: Sendable {
  let job: Job<Value>
  private let id: JobStateMachine<Value, CheckedContinuation<Void, Never>>.ID
  let want: SubscriptionOptions
  /// Of a priority that may change.
  private let observation: Lock<LivePriority.Observation?>?

  init(job: Job<Value>, id: Int, want: SubscriptionOptions) {
    self.job = job
    self.id = id
    self.want = want
    observation = want.priority == nil ? nil : Lock(nil)
  }

  deinit {
    observation?.withLock { $0.take() }?.cancel()
    job.forget(id, want)
  }

  /// The value the job ends with.
  ///
  /// - Throws: the job's error; `CancellationError` when the calling task is cancelled.
  func value() async throws -> Value {
    while true {
      if case .ended(let value) = try await next([]) { return value }
    }
  }

  /// The first value that will do.
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

  /// The newest of what the caller is interested in and was not told yet, or the ending.
  func next(_ interests: EventMask) async throws -> JobEvent<Value> {
    var (call, ready) = job.beginCall(id, interests)
    while true {
      if let ready { return try ready.get() }
      await wait(call, interests)
      ready = job.take(id, call: call, interests)
    }
  }

  /// Waits until there is something to take. Apart from what is taken, for which every task that waits would have room.
  private func wait(_ call: Int, _ interests: EventMask) async {
    await withTaskPriorityEscalationHandler {
      await withTaskCancellationHandler {
        await withCheckedContinuation { job.wait(id, call: call, interests, $0) }
      } onCancel: {
        leave()
      }
    } onPriorityEscalated: { [want] _, priority in
      // Who waits for a job lends it its priority.
      if let live = want.priority {
        if priority > live.value { live.set(priority) }
      } else if priority > want.level {
        job.reprioritise(id) { priority }
      }
    }
  }

  /// Tells again how far the transfer is, to one who would now make something else of it.
  func lookAgain() {
    job.lookAgain(id)
  }

  /// Has the job follow the priority of the subscriber, if that may change.
  func followPriority() {
    guard let live = want.priority else { return }
    let observation = live.observe { [weak self] in
      guard let self else { return }
      job.reprioritise(id) { live.value }
    }
    self.observation?.withLock { $0 = observation }
    // It may have changed before it was observed.
    job.reprioritise(id) { live.value }
  }

  /// Has no more use for the value, and stays until the end: for a job that holds what is reserved itself.
  func letGo() { job.letGo(id) }

  /// Gives up the place; a pending call ends with `error`. Harmless when repeated.
  func leave(_ error: any Error = CancellationError()) {
    observation?.withLock { $0.take() }?.cancel()
    job.leave(id, want, error)
  }
}
