import CalotypeImaging
import CalotypeSupport

/// The state of a job as a value: its subscribers, its priority, its pending events, and its ending.
///
/// Every event returns the actions to perform outside the lock. Each waiter that is passed in is returned
/// exactly once, by the event that answers it. All events take O(1), except the endings, which take
/// O(waiters).
struct JobStateMachine<Value: Sendable, Waiter: Sendable>: Sendable {
  /// A subscriber's number in its job.
  typealias ID = Int

  enum Phase: Sendable {
    /// The job waits for its turn: no work has been done yet.
    case waiting
    case running
    /// All waiters have the result; storing it may still be in progress.
    case finished(Result<Value, any Error>)
  }

  /// The actions to perform after the lock is released.
  struct Actions: Sendable {
    /// The waiters that have an event to receive.
    var resumes: [Waiter] = []
    /// The job has no subscribers left: end the work, or take it out of the queue.
    var cancels = false
    /// The priority has changed.
    var isReprioritised = false
    /// No job needs the result any more.
    var releases = false
    /// The job can no longer be joined.
    var isForgotten = false
    /// The work has to re-evaluate the demand.
    var wakesWork = false
    /// The places of callers that wait no longer, to be released.
    var callers: [CallerPlace] = []
  }

  private struct Subscriber: Sendable {
    var level: UInt8
    let isJob: Bool
    /// Whether the subscriber is a job that works with the value, or a caller with such a job, so that its reservations are
    /// kept.
    var worksWithValue: Bool
    let followsArrival: Bool
    let deadline: Duration?
    /// The place among all callers, until the subscriber leaves or the job ends.
    var caller: CallerPlace?
    /// Whether the subscriber has left: the entry remains for a call that may still ask for the error.
    var hasLeft = false
    /// The error with which the subscriber left before the job ended.
    var error: (any Error)?
    var hasSeenStart = false
    var seenArrival = 0
    var seenPreview = 0
    var seenInterim = 0
    /// The number of the waiting call, and the events it waits for.
    var call = 0
    var waiter: Waiter?
    var interests: EventMask = []
  }

  private(set) var phase = Phase.waiting
  /// The time of the ending.
  private var end: MonotonicTime?
  /// Whether all subscribers have left before the end.
  private(set) var isCancelled = false
  /// Whether the work is over, storing included.
  private(set) var isSettled = false
  /// The level of the most urgent subscriber.
  private(set) var level: UInt8
  /// The combined requirements of current subscribers; those that have left may still require the result to
  /// be stored.
  private(set) var demand = JobRequirements()
  private let mayOutlive: Bool
  private var nextID = 0
  /// All subscribers, including those that have left but are not forgotten yet.
  private var subscribers: [ID: Subscriber] = [:]
  /// The number of subscribers that have not left.
  private(set) var count = 0
  private var levels: [UInt8: Int] = [:]
  private var previews: [ImageRequest.PreviewPolicy: Int] = [:]
  private var jobs = 0
  private var followers = 0
  private var patient = 0
  /// The subscribers that wait for events other than the ending.
  private var watching: Set<ID> = []
  private var settling: [Int: Waiter] = [:]

  // The events that can be delivered, and their change counters.
  private var hasStarted = false
  private(set) var arrival: Arrival?
  private var arrivals = 0
  private var preview: Image?
  private var previewCount = 0
  private var interim: Value?
  private var interimCount = 0

  /// - Parameter mayOutlive: Whether the job continues without subscribers if one of them asked for that.
  init(mayOutlive: Bool, idleLevel: UInt8) {
    self.mayOutlive = mayOutlive
    level = idleLevel
    self.idleLevel = idleLevel
  }

  private let idleLevel: UInt8

  // MARK: Joining and leaving

  /// Whether subscribers have ``Interests`` to be checked while bytes arrive.
  var followsArrival: Bool { followers > 0 }
  /// The previews that are wanted now.
  var wantedPreviews: Set<ImageRequest.PreviewPolicy> { Set(previews.keys) }

  /// The latest deadline of all waiting subscribers; `nil` if one of them waits without a limit.
  /// O(subscribers).
  var latestDeadline: Duration? {
    patient > 0 ? nil : subscribers.values.lazy.filter { !$0.hasLeft }.compactMap(\.deadline).max()
  }

  /// Whether the job can be joined: it is working, or has succeeded and its value is still being stored or
  /// used by another job.
  var isOpen: Bool {
    if isCancelled { return false }
    switch phase {
    case .waiting, .running: return true
    case .finished(.success): return !isSettled || jobs > 0
    case .finished(.failure): return false
    }
  }

  /// Adds a subscriber, or returns `nil` if the job cannot be joined.
  mutating func join(_ want: SubscriptionOptions) -> (id: ID, actions: Actions)? {
    guard isOpen else { return nil }
    if let start = want.start, let end, end < start { return nil }
    nextID += 1
    let own = want.own
    var subscriber = Subscriber(
      level: want.level.rawValue, isJob: want.isOfJob, worksWithValue: want.isOfJob || want.keepsValue,
      followsArrival: own.followsArrival,
      deadline: want.deadline)
    if isFinished {
      // Only the ending matters now.
      subscriber.hasSeenStart = true
      (subscriber.seenArrival, subscriber.seenInterim) = (arrivals, interimCount)
    }
    if !isFinished { subscriber.caller = want.caller }
    subscribers[nextID] = subscriber
    count += 1
    levels[subscriber.level, default: 0] += 1
    if subscriber.worksWithValue { jobs += 1 }
    if subscriber.followsArrival { followers += 1 }
    if subscriber.deadline == nil { patient += 1 }
    if !subscriber.isJob {
      for policy in own.previews { previews[policy, default: 0] += 1 }
    }
    demand.add(own.lasting)
    var actions = Actions()
    actions.wakesWork = own.followsArrival && isRunning
    updateLevel(&actions)
    return (nextID, actions)
  }

  private var isRunning: Bool { if case .running = phase { true } else { false } }

  /// Removes a subscriber; its waiting call ends with `error`, unless the job has ended before. Repeated
  /// calls have no effect.
  ///
  /// - Parameter wanted: The requirements of the subscriber until now.
  mutating func leave(_ id: ID, wanted: JobRequirements, _ error: any Error) -> Actions {
    var actions = Actions()
    guard var subscriber = subscribers[id], !subscriber.hasLeft else { return actions }
    if let waiter = subscriber.waiter.take() { actions.resumes.append(waiter) }
    if let caller = subscriber.caller.take() { actions.callers.append(caller) }
    subscriber.hasLeft = true
    if !isFinished { subscriber.error = error }
    subscribers[id] = subscriber
    watching.remove(id)
    count -= 1
    // The requirements of a caller were added when it joined.
    if subscriber.isJob { demand.add(wanted.lasting) }
    remove(subscriber, wanted.previews)
    if count == 0, !isFinished, !(mayOutlive && demand.continuesInBackground && isRunning) {
      isCancelled = true
      actions.cancels = true
      actions.isForgotten = true
    }
    updateLevel(&actions)
    if subscriber.isJob || subscriber.worksWithValue { releaseIfUnused(&actions) }
    return actions
  }

  /// Records that a job no longer uses the value; it stays subscribed until the end.
  mutating func letGo(_ id: ID) -> Actions {
    var actions = Actions()
    guard let subscriber = subscribers[id], !subscriber.hasLeft, subscriber.worksWithValue else {
      return actions
    }
    subscribers[id]?.worksWithValue = false
    jobs -= 1
    releaseIfUnused(&actions)
    return actions
  }

  /// Forgets a subscriber that makes no more calls.
  mutating func forget(_ id: ID) {
    subscribers[id] = nil
  }

  private mutating func remove(_ subscriber: Subscriber, _ policies: Set<ImageRequest.PreviewPolicy>) {
    if let count = levels[subscriber.level] { levels[subscriber.level] = count > 1 ? count - 1 : nil }
    if subscriber.worksWithValue { jobs -= 1 }
    if subscriber.followsArrival { followers -= 1 }
    if subscriber.deadline == nil { patient -= 1 }
    for policy in policies where !subscriber.isJob {
      if let count = previews[policy] { previews[policy] = count > 1 ? count - 1 : nil }
    }
  }

  /// Changes the priority of a subscriber.
  mutating func reprioritise(_ id: ID, _ level: UInt8) -> Actions {
    var actions = Actions()
    guard let subscriber = subscribers[id], !subscriber.hasLeft, subscriber.level != level, !isFinished else {
      return actions
    }
    let old = subscriber.level
    subscribers[id]?.level = level
    if let count = levels[old] { levels[old] = count > 1 ? count - 1 : nil }
    levels[level, default: 0] += 1
    updateLevel(&actions)
    return actions
  }

  private mutating func updateLevel(_ actions: inout Actions) {
    // There are only six levels, one for each task priority.
    let highest = levels.keys.max() ?? idleLevel
    if highest != level, !isFinished {
      level = highest
      actions.isReprioritised = true
    }
  }

  /// Whether all subscribers have received the ending.
  var isFinished: Bool { if case .finished = phase { true } else { false } }

  // MARK: Publishing

  /// Admits the job to its turn. Returns false if it has no subscribers left.
  mutating func admit() -> Bool {
    guard case .waiting = phase, !isCancelled else { return false }
    phase = .running
    return true
  }

  /// Records that the work has begun.
  mutating func start() -> Actions {
    if isFinished || hasStarted { return Actions() }
    hasStarted = true
    return wake(.start)
  }

  /// Publishes the arrival of bytes.
  mutating func arrive(_ arrival: Arrival) -> Actions {
    if isFinished { return Actions() }
    self.arrival = arrival
    arrivals += 1
    return wake(.progress)
  }

  /// Publishes a preview.
  mutating func show(_ preview: Image) -> Actions {
    if isFinished { return Actions() }
    self.preview = preview
    previewCount += 1
    return wake(.previews)
  }

  /// Discards the preview that no subscriber has taken yet; images held by subscribers stay valid.
  mutating func dropPreview() -> Bool {
    defer { preview = nil }
    return preview != nil
  }

  /// Publishes an interim value.
  mutating func offer(_ interim: Value) -> Actions {
    if isFinished { return Actions() }
    self.interim = interim
    interimCount += 1
    return wake(.interim)
  }

  /// Discards the interim value: later calls do not see it.
  mutating func dropInterim() -> Bool {
    defer { interim = nil }
    return interim != nil
  }

  /// Makes a subscriber re-evaluate the arrived bytes.
  mutating func lookAgain(_ id: ID) -> Actions {
    guard !isFinished, arrival != nil, subscribers[id]?.hasLeft == false else { return Actions() }
    subscribers[id]?.seenArrival = -1
    var actions = Actions()
    resumeIfReady(id, &actions)
    return actions
  }

  /// Makes a subscriber receive the present state again: the start, the newest arrival, the newest preview.
  mutating func startOver(_ id: ID) {
    guard subscribers[id] != nil else { return }
    subscribers[id]?.hasSeenStart = false
    subscribers[id]?.seenArrival = 0
    subscribers[id]?.seenPreview = 0
  }

  private mutating func wake(_ interest: EventMask) -> Actions {
    var actions = Actions()
    for id in watching where subscribers[id]?.interests.contains(interest) == true {
      resumeIfReady(id, &actions)
    }
    return actions
  }

  private mutating func resumeIfReady(_ id: ID, _ actions: inout Actions) {
    guard let interests = subscribers[id]?.interests, hasNews(id, interests),
      let waiter = subscribers[id]?.waiter.take()
    else { return }
    watching.remove(id)
    actions.resumes.append(waiter)
  }

  // MARK: Endings

  /// Ends the job, unless it has ended before.
  ///
  /// - Parameters:
  ///   - result: The ending.
  ///   - time: The present time, for subscribers that no earlier result may answer.
  mutating func finish(_ result: Result<Value, any Error>, at time: MonotonicTime? = nil) -> Actions {
    var actions = Actions()
    if isFinished { return actions }
    phase = .finished(result)
    end = time
    // Previews are useless after the ending.
    preview = nil
    watching = []
    for id in subscribers.keys {
      if let waiter = subscribers[id]?.waiter.take() { actions.resumes.append(waiter) }
      if let caller = subscribers[id]?.caller.take() { actions.callers.append(caller) }
    }
    if !isOpen { actions.isForgotten = true }
    releaseIfUnused(&actions)
    return actions
  }

  /// Ends the job with an error, unless it has ended, and cancels its work.
  mutating func abort(_ error: any Error) -> Actions {
    var actions = finish(.failure(error))
    actions.cancels = !isCancelled
    actions.isForgotten = true
    isCancelled = true
    return actions
  }

  /// Records that the work is over.
  mutating func settle() -> Actions {
    var actions = Actions()
    isSettled = true
    actions.resumes = Array(settling.values)
    settling = [:]
    if !isOpen { actions.isForgotten = true }
    releaseIfUnused(&actions)
    return actions
  }

  /// Releases the reserved bytes to the holders of the result, as soon as no job works with it.
  private mutating func releaseIfUnused(_ actions: inout Actions) {
    guard isFinished, jobs == 0 else { return }
    actions.releases = true
    if isSettled { actions.isForgotten = true }
  }

  // MARK: Waiting

  /// Begins a call of a subscriber, displacing one that waits.
  mutating func beginCall(_ id: ID) -> (call: Int, displaced: Waiter?) {
    guard var subscriber = subscribers[id] else { return (0, nil) }
    subscriber.call += 1
    let displaced = subscriber.waiter.take()
    subscribers[id] = subscriber
    if displaced != nil { watching.remove(id) }
    return (subscriber.call, displaced)
  }

  /// Returns the next event for a call; `nil` if there is none.
  mutating func take(_ id: ID, call: Int, _ interests: EventMask) -> Result<JobEvent<Value>, any Error>? {
    // Two concurrent calls are a programming error of the caller; both still have to end.
    guard var subscriber = subscribers[id], subscriber.call == call else {
      return .failure(CancellationError())
    }
    if let error = subscriber.error { return .failure(error) }
    let signal: JobEvent<Value>
    if hasStarted, !subscriber.hasSeenStart, interests.contains(.start) {
      subscriber.hasSeenStart = true
      signal = .started
    } else if let interim, subscriber.seenInterim != interimCount, interests.contains(.interim) {
      subscriber.seenInterim = interimCount
      signal = .interim(interim)
    } else if let arrival, subscriber.seenArrival != arrivals, interests.contains(.progress) {
      subscriber.seenArrival = arrivals
      signal = .arrived(arrival)
    } else if let preview, subscriber.seenPreview != previewCount, interests.contains(.previews) {
      subscriber.seenPreview = previewCount
      signal = .preview(preview)
    } else if case .finished(let result) = phase {
      return result.map { .ended($0) }
    } else {
      return nil
    }
    subscribers[id] = subscriber
    return .success(signal)
  }

  private func hasNews(_ id: ID, _ interests: EventMask) -> Bool {
    guard let subscriber = subscribers[id] else { return true }
    return isFinished || subscriber.error != nil
      || (hasStarted && !subscriber.hasSeenStart && interests.contains(.start))
      || (interim != nil && subscriber.seenInterim != interimCount && interests.contains(.interim))
      || (arrival != nil && subscriber.seenArrival != arrivals && interests.contains(.progress))
      || (preview != nil && subscriber.seenPreview != previewCount && interests.contains(.previews))
  }

  /// Registers the waiter of a call.
  ///
  /// - Returns: The waiter, if there is an event for it already.
  mutating func wait(_ id: ID, call: Int, _ interests: EventMask, _ waiter: Waiter) -> Waiter? {
    guard subscribers[id]?.call == call, !hasNews(id, interests) else { return waiter }
    subscribers[id]?.waiter = waiter
    subscribers[id]?.interests = interests
    if !interests.isEmpty { watching.insert(id) }
    return nil
  }

  /// Registers a waiter for the end of the work.
  ///
  /// - Returns: The waiter, if the work is over.
  mutating func awaitSettling(_ number: Int, _ waiter: Waiter) -> Waiter? {
    if isSettled { return waiter }
    settling[number] = waiter
    return nil
  }

  /// Removes a waiter for the end of the work.
  mutating func leaveSettling(_ number: Int) -> Waiter? {
    settling.removeValue(forKey: number)
  }
}
