import CalotypeSupport

/// A clock that stands still until a test moves it on.
final class HandClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Swift.Duration.zero

    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var next = 0
    var sleepers: [Int: (end: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
  }

  private let state = Lock(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Swift.Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers[id] = (deadline, continuation)
          return nil
        }
        if let isOver { continuation.resume(with: isOver) }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Wakes those whose time has come.
  func advance(by duration: Swift.Duration) {
    let woken = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.end <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for sleeper in woken { sleeper.resume() }
  }

  /// Waits until so many sleep.
  func waitForSleepers(_ count: Int = 1) async {
    while state.withLock({ $0.sleepers.count }) < count { await Task.yield() }
  }
}
