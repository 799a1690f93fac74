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
  /// A separate priority, so that a caller waiting for one item does not raise the others.
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

  /// Ends the subscription with the item, now or later.
  func hold<Value>(_ place: Subscription<Value>) {
    let isLate = state.withLock { state in
      if case .cancelled = state { return true }
      state = .waiting { place.leave() }
      return false
    }
    if isLate { place.leave() }
  }

  /// Cancels an item that is no longer wanted.
  func cancel() {
    let before = state.withLock { state in
      defer { state = .cancelled }
      return state
    }
    if case .waiting(let leave) = before { leave() }
  }
}
