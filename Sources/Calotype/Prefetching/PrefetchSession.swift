import CalotypeSupport

/// One call of ``Prefetcher/prefetch(_:)``: the outcomes of its requests, and the tasks that wait for them.
final class PrefetchSession: Sendable {
  private struct State {
    /// The requests as they are fetched, with the requests as passed by the caller.
    var open: [ImageRequest: ImageRequest]
    var progress: Prefetch.Progress
    var result = Prefetch.Summary()
    var lastID = 0
    var waiters: [Int: Waiter<Bool>] = [:]
  }

  private let state: Lock<State>
  private let withdraw: @Sendable (PrefetchSession) -> Void

  /// - Parameters:
  ///   - requests: The requests as they are fetched, with the requests as passed by the caller.
  ///   - withdraw: Removes the session from the books.
  init(_ requests: [ImageRequest: ImageRequest], withdraw: @escaping @Sendable (PrefetchSession) -> Void) {
    state = Lock(State(open: requests, progress: Prefetch.Progress(total: requests.count)))
    self.withdraw = withdraw
  }

  /// The requests that have not ended.
  var unended: [ImageRequest] { state.withLock { Array($0.open.keys) } }
  var progress: Prefetch.Progress { state.withLock { $0.progress } }
  var result: Prefetch.Summary { state.withLock { $0.result } }

  /// Records the outcome of one request; the first one counts.
  func end(_ request: ImageRequest, _ outcome: Prefetch.Outcome) {
    end([request], outcome)
  }

  /// Ends all remaining requests, after they were removed from the books.
  func endRest() {
    end(unended, .cancelled)
  }

  /// Cancels the remaining requests.
  func cancel() {
    withdraw(self)
    endRest()
  }

  private func end(_ requests: [ImageRequest], _ outcome: Prefetch.Outcome) {
    let waiters = state.withLock { state -> [Waiter<Bool>] in
      let before = state.progress.finished
      for request in requests {
        guard let given = state.open.removeValue(forKey: request) else { continue }
        state.progress.latest = (given, outcome)
        switch outcome {
        case .loaded:
          state.progress.loaded += 1
          state.result.loaded.append(given)
        case .skipped:
          state.progress.skipped += 1
          state.result.skipped.append(given)
        case .failed(let error):
          state.progress.failed += 1
          state.result.failed.append(Prefetch.Summary.Failure(request: given, error: error))
        case .cancelled:
          state.progress.cancelled += 1
          state.result.cancelled.append(given)
        }
      }
      guard state.progress.finished > before else { return [] }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resolve(true) }
  }

  /// Returns the progress, when more than `seen` requests have ended; `nil` when there are no more, or the
  /// task is cancelled.
  func next(after seen: Int) async -> Prefetch.Progress? {
    while true {
      let progress = progress
      if Task.isCancelled { return nil }
      if progress.finished > seen { return progress }
      if progress.finished == progress.total { return nil }
      guard await hasChanged(since: seen) else { return nil }
    }
  }

  /// Waits until more than `seen` requests have ended. Returns `false` if the task is cancelled before.
  private func hasChanged(since seen: Int) async -> Bool {
    let waiter = Waiter<Bool>()
    let id = state.withLock { state -> Int? in
      if state.progress.finished > seen { return nil }
      state.lastID += 1
      state.waiters[state.lastID] = waiter
      return state.lastID
    }
    guard let id else { return true }
    defer { state.withLock { _ = $0.waiters.removeValue(forKey: id) } }
    return await waiter.value(onCancel: false)
  }
}
