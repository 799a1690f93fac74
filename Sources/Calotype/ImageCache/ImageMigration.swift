import CalotypeSupport

/// Work that is done once, by the first of the calls that need it; all of them wait.
final class ImageMigration: Sendable {
  private enum State {
    case new
    case running([Waiter<Void>])
    case finished
  }

  private let state = Lock(State.new)

  /// Starts `work` if no call did before, and waits for its end; at most until the task is cancelled, which the work
  /// survives.
  func finished(_ work: @escaping @Sendable () async -> Void) async {
    let waiter = Waiter<Void>()
    let (isFirst, isFinished) = state.withLock { state in
      switch state {
      case .new:
        state = .running([waiter])
        return (true, false)
      case .running(let waiters):
        state = .running(waiters + [waiter])
        return (false, false)
      case .finished: return (false, true)
      }
    }
    if isFinished { return }
    if isFirst {
      Task {
        await work()
        self.end()
      }
    }
    await waiter.value(onCancel: ())
    guard Task.isCancelled else { return }
    state.withLock { state in
      if case .running(let waiters) = state { state = .running(waiters.filter { $0 !== waiter }) }
    }
  }

  private func end() {
    let waiters = state.withLock { state in
      defer { state = .finished }
      if case .running(let waiters) = state { return waiters }
      return []
    }
    for waiter in waiters { waiter.resolve(()) }
  }
}
