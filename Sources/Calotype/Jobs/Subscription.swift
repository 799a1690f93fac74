import CalotypeSupport

/// One caller's place in a ``Job``: of what happens at most one pending value of each kind, and exactly one ending.
///
/// ``value()`` or ``next(_:)`` is awaited by one task at a time. Cancelling that task, or ``leave()``, ends the
/// subscription at once.
final class Subscription<Value: Sendable>: Sendable {
  private struct State {
    var news = News<Value>()
    var lastArrival: Arrival?
    var ending: Result<Value, any Error>?
    /// Who waits, and which call of ``next(_:)`` that is. What there is to know is taken under the lock, by them.
    var waiter: CheckedContinuation<Void, Never>?
    var call = 0
    var interests: Interests = []
    var observation: LivePriority.Observation?

    /// What the newest call is told; `nil` while there is nothing.
    mutating func take(_ interests: Interests) -> Result<Signal<Value>, any Error>? {
      // Who does not wait any more is told so, not what happened before.
      if case .failure(let error) = ending, error is CancellationError { return .failure(error) }
      if let signal = news.take(interests) { return .success(signal) }
      return ending?.map { .ended($0) }
    }
  }

  let want: Want
  private let job: Job<Value>
  private let state = Lock(State())

  init(job: Job<Value>, want: Want) {
    self.job = job
    self.want = want
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

  /// Waits until what the job has made is stored.
  func jobHasSettled() async {
    await job.windUp()
  }

  /// The newest of what the caller is interested in and was not told yet, or the ending.
  func next(_ interests: Interests) async throws -> Signal<Value> {
    try await withTaskPriorityEscalationHandler {
      try await cancellableNext(interests)
    } onPriorityEscalated: { [want] _, priority in
      // Who waits for a job lends it its priority.
      if priority > want.priority.value { want.priority.set(priority) }
    }
  }

  private func cancellableNext(_ interests: Interests) async throws -> Signal<Value> {
    let call = state.withLock { state in
      state.call += 1
      return state.call
    }
    return try await withTaskCancellationHandler {
      while true {
        let ready = state.withLock { state -> Result<Signal<Value>, any Error>? in
          // Two calls at once are a mistake of the caller, and still end both.
          state.call == call ? state.take(interests) : .failure(CancellationError())
        }
        if let ready { return try ready.get() }
        await withCheckedContinuation { wait(with: $0, for: interests, call: call) }
      }
    } onCancel: {
      leave()
    }
  }

  private func wait(with continuation: CheckedContinuation<Void, Never>, for interests: Interests, call: Int)
  {
    let resumed = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.call != call || state.ending != nil || state.news.has(interests) { return continuation }
      let displaced = state.waiter
      state.waiter = continuation
      state.interests = interests
      return displaced
    }
    resumed?.resume()
  }

  /// What a joiner has missed. Nobody waits yet.
  func catchUp(_ news: News<Value>) {
    state.withLock { state in
      state.news.add(news)
      state.lastArrival = news.arrival
    }
  }

  /// Remembers how far the transfer is, for ``repeatArrival()``.
  func note(_ arrival: Arrival) {
    state.withLock { $0.lastArrival = arrival }
  }

  /// Tells again how far the transfer is, to one who would now make something else of it.
  func repeatArrival() {
    var news = News<Value>()
    news.arrival = state.withLock { $0.lastArrival }
    publish(news)
    job.wake()
  }

  /// Replaces news that were not taken yet: nobody needs to know where the transfer was a moment ago.
  func publish(_ news: News<Value>) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.ending == nil else { return nil }
      state.news.add(news)
      state.lastArrival = news.arrival ?? state.lastArrival
      return state.news.has(state.interests) ? state.waiter.take() : nil
    }
    waiter?.resume()
  }

  /// Sets the ending; the first one counts. A preview that nobody has seen by then is of no use any more.
  func finish(_ result: Result<Value, any Error>) {
    let (waiter, observation) = state.withLock {
      state -> (CheckedContinuation<Void, Never>?, LivePriority.Observation?) in
      guard state.ending == nil else { return (nil, nil) }
      state.ending = result
      state.news.preview = nil
      return (state.waiter.take(), state.observation.take())
    }
    observation?.cancel()
    waiter?.resume()
  }

  /// Calls `changed` when the subscriber wants it more or less urgently, until the ending.
  func observe(_ changed: @escaping @Sendable () -> Void) {
    let observation = want.priority.observe(changed)
    let isOver = state.withLock { state in
      if state.ending == nil { state.observation = observation }
      return state.ending != nil
    }
    if isOver { observation.cancel() }
  }

  /// Gives up the place; a pending call ends with `error`. Harmless when repeated.
  func leave(_ error: any Error = CancellationError()) {
    finish(.failure(error))
    job.leave(self)
  }
}
