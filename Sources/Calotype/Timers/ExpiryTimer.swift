import CalotypeSupport
import HeapModule

/// A timer for any number of calls, with one task that sleeps until the first of them is due.
final class ExpiryTimer: Sendable {
  private struct Entry: Comparable, Sendable {
    let time: Duration
    let number: Int

    static func < (left: Entry, right: Entry) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }
  }

  private struct State {
    var nextNumber = 0
    /// The pending calls.
    var calls: [Int: @Sendable () -> Void] = [:]
    /// The times of pending calls, and of some removed ones.
    var order = Heap<Entry>()
    var wakeUp: Duration?
    var task: Task<Void, Never>?
  }

  /// The longest single sleep; longer ones are split.
  private static let longestSleep = Duration.seconds(86_400)

  private let state = Lock(State())
  /// The time since the timer was created.
  let now: @Sendable () -> Duration
  private let sleep: @Sendable (_ end: Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    // Until an instant, not for a duration: time that passes before the sleep begins is not slept again.
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  deinit {
    state.withLock { $0.task }?.cancel()
  }

  /// The number of pending calls, and the number of places used for them.
  var counts: (calls: Int, places: Int) { state.withLock { ($0.calls.count, $0.order.count) } }

  /// Schedules a call at a time, made once and under no lock. O(log n).
  ///
  /// - Returns: A number for ``remove(_:)``.
  func add(at time: Duration, _ call: @escaping @Sendable () -> Void) -> Int {
    let (number, replaced) = state.withLock { state -> (Int, Task<Void, Never>?) in
      state.nextNumber += 1
      let number = state.nextNumber
      state.calls[number] = call
      state.order.insert(Entry(time: time, number: number))
      if let wakeUp = state.wakeUp, wakeUp <= time { return (number, nil) }
      state.wakeUp = time
      let replaced = state.task
      // With high priority, and detached from the task that came first: other calls wait for it too.
      state.task = Task.detached(priority: .high) { [weak self, sleep] in
        while let end = self?.nextWakeUp() {
          do { try await sleep(end) } catch { return }
          self?.callThoseDue()
        }
      }
      return (number, replaced)
    }
    replaced?.cancel()
    return number
  }

  /// Removes a call; has no effect when it was made. O(1), amortised. The task continues to sleep, for the
  /// next call: consecutive callers share one task.
  func remove(_ number: Int) {
    let call = state.withLock { state -> (@Sendable () -> Void)? in
      guard let call = state.calls.removeValue(forKey: number) else { return nil }
      if state.order.count > 2 * state.calls.count + 64 {
        let calls = state.calls
        state.order = Heap(state.order.unordered.filter { calls[$0.number] != nil })
      }
      return call
    }
    // Released outside the lock: its deinitialization may call arbitrary code.
    withExtendedLifetime(call) {}
  }

  /// Returns the time at which the first call is due, at most a day ahead; `nil` when there is none.
  private func nextWakeUp() -> Duration? {
    let now = now()
    return state.withLock { state in
      if Task.isCancelled { return nil }
      while let first = state.order.min, state.calls[first.number] == nil { state.order.removeMin() }
      state.wakeUp = state.order.min?.time
      return state.wakeUp.map { min($0, now + Self.longestSleep) }
    }
  }

  private func callThoseDue() {
    let now = now()
    let calls = state.withLock { state -> [@Sendable () -> Void] in
      var calls: [@Sendable () -> Void] = []
      while let first = state.order.min, first.time <= now {
        state.order.removeMin()
        if let call = state.calls.removeValue(forKey: first.number) { calls.append(call) }
      }
      return calls
    }
    for call in calls { call() }
  }
}
