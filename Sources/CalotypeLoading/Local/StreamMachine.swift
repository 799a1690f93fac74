/// The state machine between the consumer of a stream and the task that pulls it. At most one chunk is in flight.
///
/// Pure: every event returns the action to carry out after leaving the lock. Each waiter and each pump is answered
/// exactly once.
struct StreamMachine<Waiter: Sendable, Pump: Sendable>: Sendable {
  private enum State {
    /// No chunk was requested yet.
    case idle
    /// The consumer waits, the pump pulls.
    case pulling(Waiter)
    /// The pump has handed a chunk over and waits until the next one is wanted.
    case parked(Pump)
    /// The consumer has received the end, or has left.
    case over(isCancelled: Bool)
  }

  enum Action {
    case none
    /// Start the pump.
    case start
    /// Answer the waiter.
    case answer(Waiter, Reply)
    /// Let the pump continue, or end.
    case resume(Pump, goesOn: Bool)
  }

  /// The answer to a waiter.
  enum Reply {
    case end
    case cancelled
    /// Another waiter is there already.
    case taken
    /// The chunk or the end that the pump brought.
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

  /// The pump brings a chunk, and asks whether to continue.
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
