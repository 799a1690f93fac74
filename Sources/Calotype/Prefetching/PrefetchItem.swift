import CalotypeSupport

/// One request that is being fetched.
final class PrefetchItem: Sendable {
  private enum State {
    case begun
    case waiting(@Sendable () -> Void)
    case cancelled
  }

  let id: Int
  let request: ImageRequest
  /// Its own, so that who waits for the one does not make the others more urgent.
  let priority: LivePriority
  private let state = Lock(State.begun)

  init(id: Int, request: ImageRequest, priority: ImageRequest.Priority) {
    self.id = id
    self.request = request
    self.priority = LivePriority(priority.taskPriority)
  }

  var isCancelled: Bool {
    state.withLock { state in
      if case .cancelled = state { true } else { false }
    }
  }

  /// Ends the wait for a place with the item, now or later.
  func hold<Value>(_ place: Subscription<Value>) {
    let isLate = state.withLock { state in
      if case .cancelled = state { return true }
      state = .waiting { place.leave() }
      return false
    }
    if isLate { place.leave() }
  }

  /// Nobody wants it any more.
  func cancel() {
    let before = state.withLock { state in
      defer { state = .cancelled }
      return state
    }
    if case .waiting(let leave) = before { leave() }
  }
}
