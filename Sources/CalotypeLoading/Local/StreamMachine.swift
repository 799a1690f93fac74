/// Who waits for whom between the consumer of a stream and the task that pulls it: at most one chunk is on the way.
///
/// Pure: every event returns what is to be done after the lock was left. Each waiter and each pump that was handed over is
/// answered exactly once.
struct StreamMachine<Waiter: Sendable, Pump: Sendable>: Sendable {
  private enum State {
    /// Nothing was asked for yet.
    case idle
    /// The consumer waits, the pump pulls.
    case pulling(Waiter)
    /// The pump has handed a chunk over and waits until the next one is wanted.
    case parked(Pump)
    /// The consumer has been told the end, or has left.
    case over(isCancelled: Bool)
  }

  enum Action {
    case none
    /// The pump has to be started.
    case start
    /// The waiter is answered.
    case answer(Waiter, Reply)
    /// The pump goes on, or ends.
    case resume(Pump, goesOn: Bool)
  }

  /// What a waiter is told.
  enum Reply {
    case end
    case cancelled
    /// There is another waiter.
    case taken
    /// What the pump brought.
    case brought
  }

  private var state = State.idle

  /// Whether the pump has nothing left to do.
  var isOver: Bool {
    if case .over = state { true } else { false }
  }

  /// The consumer wants a chunk.
  mutating func ask(_ waiter: Waiter) -> Action {
    switch state {
    case .idle:
      state = .pulling(waiter)
      return .start
    case .parked(let pump):
      state = .pulling(waiter)
      return .resume(pump, goesOn: true)
    case .pulling: return .answer(waiter, .taken)
    case .over(let isCancelled): return .answer(waiter, isCancelled ? .cancelled : .end)
    }
  }

  /// The pump has a chunk for whoever waits, and wants to know whether to go on.
  mutating func bring(_ pump: Pump) -> Action {
    guard case .pulling(let waiter) = state else { return .resume(pump, goesOn: false) }
    state = .parked(pump)
    return .answer(waiter, .brought)
  }

  /// The sequence ended, or failed.
  mutating func finish() -> Action {
    guard case .pulling(let waiter) = state else { return .none }
    state = .over(isCancelled: false)
    return .answer(waiter, .brought)
  }

  /// The consumer leaves.
  mutating func cancel() -> Action {
    defer { if !isOver { state = .over(isCancelled: true) } }
    switch state {
    case .idle, .over: return .none
    case .pulling(let waiter): return .answer(waiter, .cancelled)
    case .parked(let pump): return .resume(pump, goesOn: false)
    }
  }
}
