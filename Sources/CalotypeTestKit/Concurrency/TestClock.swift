/// A clock that stands still until a test moves it, for code that sleeps.
///
/// ```swift
/// let clock = TestClock()
/// let task = Task { try await clock.sleep(for: .seconds(60)) }
/// try await clock.waitForSleepers()
/// clock.advance(by: .seconds(60))
/// try await task.value
/// ```
///
/// Its instants are those of `ContinuousClock`. Sleepers whose deadline has come are woken in the order of their deadlines,
/// those of one deadline in the order in which they began to sleep. The order in which woken tasks go on is up to their
/// executors: a serial one that serves the test too keeps it.
public final class TestClock: Clock {
  /// An instant of a clock that never jumps.
  public typealias Instant = ContinuousClock.Instant
  /// The time between two instants.
  public typealias Duration = Swift.Duration

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let wait: Wait
  }

  private struct State {
    var now: Instant
    var nextNumber = 0
    var sleepers: [Sleeper] = []
  }

  private let journal: EventLog<State>

  /// Starts at an instant.
  public init(now: Instant = ContinuousClock.now) {
    journal = EventLog(State(now: now))
  }

  /// The present time.
  public var now: Instant { journal.entries.now }

  /// Zero: the clock is exact.
  public var minimumResolution: Duration { .zero }

  /// The number of sleeping tasks.
  public var sleeperCount: Int { journal.entries.sleepers.count }

  /// Moves on, or back, and wakes the tasks whose deadline has come. They no longer count as sleepers when it returns.
  public func advance(by duration: Duration) {
    wake { $0.now += duration }
  }

  /// Moves to an instant, later or earlier, as ``advance(by:)``.
  public func advance(to instant: Instant) {
    wake { $0.now = instant }
  }

  /// Moves to the next deadline of a sleeper, and wakes the tasks that sleep until then.
  ///
  /// - Returns: The distance moved; `nil` when no task sleeps.
  @discardableResult
  public func advanceToNextDeadline() -> Duration? {
    wake { state -> Duration? in
      guard let deadline = state.sleepers.map(\.deadline).min() else { return nil }
      defer { state.now = deadline }
      return state.now.duration(to: deadline)
    }
  }

  /// Suspends until the clock shows `deadline`. `tolerance` is of no effect.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let wait = Wait()
    let number = journal.note { state -> Int? in
      guard state.now < deadline else { return nil }
      state.nextNumber += 1
      state.sleepers.append(Sleeper(number: state.nextNumber, deadline: deadline, wait: wait))
      return state.nextNumber
    }
    guard let number else { return }
    try await wait(onCancel: { self.journal.note { $0.sleepers.removeAll { $0.number == number } } })
  }

  /// Suspends until at least `count` tasks sleep.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func waitForSleepers(_ count: Int = 1) async throws {
    try await journal.wait { $0.sleepers.count >= count }
  }

  @discardableResult
  private func wake<Result: Sendable>(_ move: (inout State) -> Result) -> Result {
    let (result, due) = journal.note { state -> (Result, [Sleeper]) in
      let result = move(&state)
      let due = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return (result, due)
    }
    for sleeper in due.sorted(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }) {
      sleeper.wait.end()
    }
    return result
  }
}
