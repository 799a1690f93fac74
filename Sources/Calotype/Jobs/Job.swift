import CalotypeSupport

/// A running piece of work and everyone who waits for it.
///
/// Subscribers come and go on any thread; the work is one `Task`. The last subscriber to leave cancels it. A job
/// that has succeeded keeps its value for joiners as long as somebody still holds a subscription, so that work
/// is not repeated in the moment between a result and its arrival in a cache.
final class Job<Value: Sendable>: Sendable {
  private enum Phase {
    case running(progress: LoadProgress?)
    case succeeded(Value)
    /// Failed, cancelled, or ended and left by everyone: cannot be joined.
    case closed
  }

  private enum Joining {
    case refused
    case waiting(Task<Void, Never>?)
    case ended(Value)
  }

  private struct State {
    var phase: Phase = .running(progress: nil)
    var subscriptions: [ObjectIdentifier: Subscription<Value>] = [:]
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Lock(State())

  /// A new job with its first subscriber, still to be started.
  static func make() -> (Job, Subscription<Value>) {
    let job = Job()
    let subscription = Subscription(job: job)
    job.state.withLock { $0.subscriptions[ObjectIdentifier(subscription)] = subscription }
    return (job, subscription)
  }

  /// Starts the work. It is cancelled at once when all subscribers have left before.
  func start(priority: TaskPriority, _ work: @escaping @Sendable @concurrent (Job<Value>) async -> Void) {
    let task = Task(priority: priority) { await work(self) }
    let cancel = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if cancel { task.cancel() }
  }

  /// A new subscription, or `nil` when the job can no longer deliver.
  func join(priority: TaskPriority) -> Subscription<Value>? {
    let subscription = Subscription(job: self)
    let outcome = state.withLock { state -> Joining in
      switch state.phase {
      case .running(let progress):
        if state.isCancelled { return .refused }
        state.subscriptions[ObjectIdentifier(subscription)] = subscription
        // Under the lock, so that an older value cannot overtake a newer one. Nobody waits on it yet.
        if let progress { subscription.publish(progress) }
        return .waiting(state.task)
      case .succeeded(let value):
        state.subscriptions[ObjectIdentifier(subscription)] = subscription
        return .ended(value)
      case .closed:
        return .refused
      }
    }
    switch outcome {
    case .refused:
      return nil
    case .waiting(let task):
      task?.escalatePriority(to: priority)
    case .ended(let value):
      subscription.finish(.success(value))
    }
    return subscription
  }

  /// Places that are taken.
  var subscriberCount: Int { state.withLock { $0.subscriptions.count } }

  /// The work is wanted sooner than before.
  func raise(to priority: TaskPriority) {
    state.withLock { $0.task }?.escalatePriority(to: priority)
  }

  /// Tells every subscriber how far the transfer is.
  func publish(_ progress: LoadProgress) {
    let subscriptions = state.withLock { state -> [Subscription<Value>] in
      guard case .running = state.phase else { return [] }
      state.phase = .running(progress: progress)
      return Array(state.subscriptions.values)
    }
    for subscription in subscriptions { subscription.publish(progress) }
  }

  /// Ends the job: the first call counts, and every subscriber gets this one ending.
  func finish(_ result: Result<Value, any Error>) {
    let subscriptions = state.withLock { state -> [Subscription<Value>] in
      guard case .running = state.phase else { return [] }
      switch result {
      case .success(let value) where !state.subscriptions.isEmpty: state.phase = .succeeded(value)
      default: state.phase = .closed
      }
      return Array(state.subscriptions.values)
    }
    for subscription in subscriptions { subscription.finish(result) }
  }

  /// Waits until the work has wound up: everyone has the ending, and everything is stored.
  func windUp() async {
    await state.withLock { $0.task }?.value
  }

  /// Takes a subscriber off. The last one cancels a running job.
  func leave(_ subscription: ObjectIdentifier) {
    let task = state.withLock { state -> Task<Void, Never>? in
      guard state.subscriptions.removeValue(forKey: subscription) != nil, state.subscriptions.isEmpty
      else { return nil }
      switch state.phase {
      case .running:
        state.isCancelled = true
        return state.task
      case .succeeded:
        state.phase = .closed
        return nil
      case .closed:
        return nil
      }
    }
    task?.cancel()
  }
}
