@testable import CalotypeAdmission

/// A clock that stands still but for ``advance(by:)``.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var time = Duration.zero

    func advanced(by duration: Duration) -> Self { Instant(time: time + duration) }
    func duration(to other: Self) -> Duration { other.time - time }
    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
  }

  private struct State: Sendable {
    var now = Instant()
    var number = 0
    var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
  }

  private let state = Lock(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.number += 1
      return state.number
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isDue = state.withLock { state in
          if Task.isCancelled { return Bool?.none }
          if deadline <= state.now { return true }
          state.sleepers[id] = (deadline, continuation)
          return false
        }
        if isDue == nil { continuation.resume(throwing: CancellationError()) }
        if isDue == true { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
