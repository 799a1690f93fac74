import CalotypeImaging
import CalotypeSupport

/// A running piece of work and everyone who waits for it.
///
/// Subscribers come and go on any thread; the work is one `Task`. It is as urgent as the most urgent of them. The last one
/// to leave cancels it. A job that has succeeded keeps its value for joiners as long as somebody still holds a
/// subscription, so that work is not repeated in the moment between a result and its arrival in a cache.
final class Job<Value: Sendable>: Sendable {
  private enum Phase {
    case running
    case succeeded(Value)
    /// Failed, cancelled, or ended and left by everyone: cannot be joined.
    case closed
  }

  private struct State {
    var phase = Phase.running
    var places: [ObjectIdentifier: Subscription<Value>] = [:]
    var task: Task<Void, Never>?
    var isCancelled = false
    /// What joiners are told first.
    var news = News<Value>()
    /// What those wanted who have left: they may have wanted it stored.
    var past = Demand()
    /// Whether everything is stored.
    var isSettled = false
    var settling: [CheckedContinuation<Void, Never>] = []
    var vacating: CheckedContinuation<Void, Never>?
    var wake: (@Sendable () -> Void)?
  }

  /// That of the most urgent subscriber; the lowest of all when there is none.
  let priority = LivePriority(.background)
  /// That of whoever it was made for.
  let number: Int
  private let mayOutlive: Bool
  private let state = Lock(State())

  private init(number: Int, mayOutlive: Bool) {
    self.number = number
    self.mayOutlive = mayOutlive
  }

  /// A new job with its first subscriber, still to be started.
  ///
  /// - Parameter mayOutlive: Whether it goes on without subscribers if one of them had wished so.
  static func make(for want: Want, mayOutlive: Bool = false) -> (Job, Subscription<Value>) {
    let job = Job(number: want.number, mayOutlive: mayOutlive)
    let place = Subscription(job: job, want: want)
    job.state.withLock { $0.places[ObjectIdentifier(place)] = place }
    job.follow(place)
    return (job, place)
  }

  /// Starts the work. It is cancelled at once when all subscribers have left before.
  ///
  /// - Parameters:
  ///   - work: Ends with an ending and everything stored.
  ///   - forget: Called when nobody holds a place any more.
  func start(
    _ work: @escaping @Sendable @concurrent (Job<Value>) async -> Void,
    forget: @escaping @Sendable (Job<Value>) async -> Void = { _ in }
  ) {
    let task = Task(priority: priority.value) {
      await work(self)
      settle()
      await vacated()
      await forget(self)
    }
    let cancel = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if cancel { task.cancel() }
  }

  /// A new subscription, or `nil` when the job can no longer deliver.
  func join(_ want: Want) -> Subscription<Value>? {
    let place = Subscription(job: self, want: want)
    let (isIn, value) = state.withLock { state -> (Bool, Value?) in
      switch state.phase {
      case .running where !state.isCancelled:
        // Under the lock, so that an older value cannot overtake a newer one. Nobody waits on it yet.
        place.catchUp(state.news)
        state.places[ObjectIdentifier(place)] = place
        return (true, nil)
      case .succeeded(let value):
        state.places[ObjectIdentifier(place)] = place
        return (true, value)
      case .running, .closed:
        return (false, nil)
      }
    }
    guard isIn else { return nil }
    if let value {
      place.finish(.success(value))
    } else {
      follow(place)
      // There may be enough to show already, though nothing new comes for a while.
      if want.demand().followsArrival { wake() }
    }
    return place
  }

  /// A place for the job itself, that keeps it joinable while it puts away what it has made.
  func hold() -> Subscription<Value>? {
    join(Want(Demand(), priority: .veryLow))
  }

  /// Places that are taken.
  var subscriberCount: Int { state.withLock { $0.places.count } }

  /// All that anybody wants, or has wanted.
  var demand: Demand {
    let (past, wants) = state.withLock { ($0.past, $0.places.values.map(\.want)) }
    return wants.reduce(into: past) { $0.add($1.demand()) }
  }

  /// What to do when something else is wanted than before.
  func onWake(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  /// Has the work look again at what is wanted.
  func wake() {
    state.withLock { $0.wake }?()
  }

  // MARK: News

  /// Tells every subscriber that the work has begun.
  func publishStart() { publish { $0.hasStarted = true } }

  /// Tells every subscriber how far the transfer is.
  func publish(_ arrival: Arrival) { publish { $0.arrival = arrival } }

  /// Notes how far the transfer is, for those who will want to know, without waking those who wait.
  func note(_ arrival: Arrival) {
    let places = state.withLock { state -> [Subscription<Value>] in
      guard case .running = state.phase else { return [] }
      state.news.arrival = arrival
      return Array(state.places.values)
    }
    for place in places { place.note(arrival) }
  }

  /// Shows every subscriber what can be seen so far.
  func publish(preview: Image) { publish { $0.preview = preview } }

  /// Gives every subscriber a value that will do until the work is done.
  func publish(interim: Value) { publish { $0.interim = interim } }

  private func publish(_ change: (inout News<Value>) -> Void) {
    var news = News<Value>()
    change(&news)
    let places = state.withLock { state -> [Subscription<Value>] in
      guard case .running = state.phase else { return [] }
      state.news.add(news)
      return Array(state.places.values)
    }
    for place in places { place.publish(news) }
  }

  /// Ends the job: the first call counts, and every subscriber gets this one ending.
  func finish(_ result: Result<Value, any Error>) {
    let places = state.withLock { state -> [Subscription<Value>] in
      guard case .running = state.phase else { return [] }
      switch result {
      case .success(let value) where !state.places.isEmpty: state.phase = .succeeded(value)
      default: state.phase = .closed
      }
      state.news = News()
      state.wake = nil
      return Array(state.places.values)
    }
    for place in places { place.finish(result) }
  }

  /// Ends the job with an error, if it is still running, and its work. It waits for nobody to take the ending.
  func abort(_ error: any Error) {
    finish(.failure(error))
    let (task, vacating) = state.withLock { state in
      state.isCancelled = true
      state.phase = .closed
      state.places = [:]
      let vacating = state.vacating
      state.vacating = nil
      return (state.task, vacating)
    }
    task?.cancel()
    vacating?.resume()
  }

  /// Says that everyone has the ending, and everything is stored.
  func settle() {
    let waiting = state.withLock { state in
      state.isSettled = true
      defer { state.settling = [] }
      return state.settling
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Whether everyone has the ending, and everything is stored.
  var isSettled: Bool { state.withLock { $0.isSettled } }

  /// Waits until everyone has the ending, and everything is stored.
  func windUp() async {
    await withCheckedContinuation { continuation in
      let isSettled = state.withLock { state in
        if !state.isSettled { state.settling.append(continuation) }
        return state.isSettled
      }
      if isSettled { continuation.resume() }
    }
  }

  /// Waits until nobody holds a place any more. For the job itself, at its end: until then others may join.
  func vacated() async {
    await withCheckedContinuation { continuation in
      let isVacant = state.withLock { state in
        if !state.places.isEmpty { state.vacating = continuation }
        return state.places.isEmpty
      }
      if isVacant { continuation.resume() }
    }
  }

  // MARK: Coming and going

  private func follow(_ place: Subscription<Value>) {
    place.observe { [weak self] in self?.updatePriority() }
    updatePriority()
  }

  /// Brings the priority to that of the most urgent subscriber.
  func updatePriority() {
    while true {
      let (wanted, task) = state.withLock { state in
        (state.places.values.lazy.map(\.want.priority.value).max() ?? .background, state.task)
      }
      let raises = wanted > priority.value
      priority.set(wanted)
      // A task cannot be lowered again; queues follow the priority itself.
      if raises { task?.escalatePriority(to: wanted) }
      // Somebody may have come, gone or changed meanwhile: whoever sets last looks again.
      let now = state.withLock { $0.places.values.lazy.map(\.want.priority.value).max() ?? .background }
      if now == wanted { return }
    }
  }

  /// Takes a subscriber off. The last one cancels a running job.
  func leave(_ place: Subscription<Value>) {
    // Asked outside the lock: the one who leaves may be a job itself.
    let wanted = place.want.demand().lasting
    let (hasLeft, task, vacating) = state.withLock {
      state -> (Bool, Task<Void, Never>?, CheckedContinuation<Void, Never>?) in
      guard state.places.removeValue(forKey: ObjectIdentifier(place)) != nil else { return (false, nil, nil) }
      state.past.add(wanted)
      guard state.places.isEmpty else { return (true, nil, nil) }
      let vacating = state.vacating
      state.vacating = nil
      switch state.phase {
      case .running:
        if mayOutlive, state.past.finishesLoad { return (true, nil, vacating) }
        state.isCancelled = true
        return (true, state.task, vacating)
      case .succeeded:
        state.phase = .closed
        return (true, nil, vacating)
      case .closed:
        return (true, nil, vacating)
      }
    }
    if hasLeft { updatePriority() }
    task?.cancel()
    vacating?.resume()
  }
}
