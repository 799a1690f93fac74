package import CalotypeCaching

/// The decisions of one call of `FlightCoordinating.begin(_:waits:timeout:)`. A pure value: it is told what happened and
/// when, and returns what to do next.
package struct FlightState: Sendable {
  /// The times of flights.
  package struct Times: Hashable, Sendable {
    /// How long a lease lasts that is not renewed.
    package var lease = Duration.seconds(3)
    /// The longest wait for a message before the lease is looked at again; ± 20 %.
    package var poll = Duration.milliseconds(250)
    /// The time that is added to the rest of a lease, so that it is over at the next look.
    package var margin = Duration.milliseconds(5)

    /// The default times.
    package init() {}
  }

  /// The answer to an attempt to take the lease.
  package enum Answer: Hashable, Sendable {
    /// This call leads; as the second one, because the first is slow, if `isHedge`.
    case lead(isHedge: Bool)
    /// Another leads: since when, and until when unless it renews its lease.
    case held(age: Duration, left: Duration)
    /// Another has led.
    case outcome(FlightOutcome)
    /// There is no answer.
    case unavailable
  }

  /// Something that happened.
  package enum Event: Hashable, Sendable {
    case answered(Answer)
    /// A message says that the flight has ended.
    case woken
    /// The wait is over.
    case waited
    case cancelled
  }

  /// The next thing to do.
  package enum Action: Hashable, Sendable {
    /// Try to take the lease.
    case acquire
    /// Wait for a message, at most this long.
    case wait(Duration)
    /// The call has ended.
    case end(Ending)
  }

  /// The ending of a call.
  package enum Ending: Hashable, Sendable {
    case lead(isHedge: Bool)
    case outcome(FlightOutcome)
    case busy
    case alone
  }

  private let waits: Bool
  private let deadline: Duration?
  private let times: Times
  /// The attempts that found another leading.
  package private(set) var waitCount = 0

  /// Creates the state of a call.
  ///
  /// - Parameters:
  ///   - waits: Whether the caller waits for others.
  ///   - deadline: When it stops to wait.
  ///   - times: The times of flights.
  package init(waits: Bool, deadline: Duration?, times: Times = Times()) {
    self.waits = waits
    self.deadline = deadline
    self.times = times
  }

  /// Returns what to do after an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The time.
  ///   - spread: A random number from 0 to 1, which keeps nodes from looking at the same time.
  package mutating func handle(_ event: Event, at now: Duration, spread: Double) -> Action {
    switch event {
    case .cancelled, .answered(.unavailable): return .end(.alone)
    case .answered(.lead(let isHedge)): return .end(.lead(isHedge: isHedge))
    case .answered(.outcome(let outcome)): return .end(.outcome(outcome))
    case .answered(.held(_, let left)):
      guard waits else { return .end(.busy) }
      waitCount += 1
      let poll = times.poll * (0.8 + 0.4 * min(1, max(0, spread)))
      var wait = min(poll, max(.zero, left) + times.margin)
      if let deadline {
        guard now < deadline else { return .end(.alone) }
        wait = min(wait, deadline - now)
      }
      return .wait(wait)
    case .woken: return .acquire
    case .waited:
      if let deadline, now >= deadline { return .end(.alone) }
      return .acquire
    }
  }
}
