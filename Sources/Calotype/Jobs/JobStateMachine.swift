import CalotypeImaging

/// A job as a value: who waits for it, how urgent it is, what can be told of it, and how it ends.
///
/// Every event returns what is to be done outside the lock. Each waiter that is handed in is handed out exactly once, by
/// the event that answers it. All events but the endings take O(1); the endings take O(waiters).
struct JobStateMachine<Value: Sendable, Waiter: Sendable>: Sendable {
  /// A subscriber's number in its job.
  typealias ID = Int

  enum Phase: Sendable {
    /// It waits for its turn: nothing has been made for it yet.
    case waiting
    case running
    /// Everyone who waits has been told; what was made may still be being stored.
    case finished(Result<Value, any Error>)
  }

  /// What is to be done when the lock has been left.
  struct Actions: Sendable {
    /// Those who have something to look at.
    var resumes: [Waiter] = []
    /// Nobody wants it any more: end the work, or take it out of the queue.
    var cancels = false
    /// It has another priority.
    var isReprioritised = false
    /// No job needs what was made any more.
    var releases = false
    /// It can no longer be joined.
    var isForgotten = false
    /// The work has to look again at what is wanted.
    var wakesWork = false
  }

  private struct Subscriber: Sendable {
    var level: UInt8
    let isJob: Bool
    /// Whether it is a job that works with the value, so that what is reserved for that stays.
    var worksWithValue: Bool
    let followsArrival: Bool
    let deadline: Duration?
    /// Whether it has left: what is kept is for a call that may still ask why.
    var hasLeft = false
    /// Why it ended without the job.
    var error: (any Error)?
    var hasSeenStart = false
    var seenArrival = 0
    var seenPreview = 0
    var seenInterim = 0
    /// Which call waits, and for what.
    var call = 0
    var waiter: Waiter?
    var interests: EventMask = []
  }

  private(set) var phase = Phase.waiting
  /// Everyone has left before the end.
  private(set) var isCancelled = false
  /// The work is over, what is stored included.
  private(set) var isSettled = false
  /// That of the most urgent subscriber.
  private(set) var level: UInt8
  /// What those who have subscribed want to become of the result; those who have left may have wanted it stored.
  private(set) var demand = JobRequirements()
  private let mayOutlive: Bool
  private var nextID = 0
  /// Those who have left included, until they are forgotten.
  private var subscribers: [ID: Subscriber] = [:]
  /// Those who have not left.
  private(set) var count = 0
  private var levels: [UInt8: Int] = [:]
  private var previews: [ImageRequest.PreviewPolicy: Int] = [:]
  private var jobs = 0
  private var followers = 0
  private var patient = 0
  /// Those who wait to be told something beside the ending.
  private var watching: Set<ID> = []
  private var settling: [Int: Waiter] = [:]

  // What can be told, and how often it has changed.
  private var hasStarted = false
  private(set) var arrival: Arrival?
  private var arrivals = 0
  private var preview: Image?
  private var previewCount = 0
  private var interim: Value?
  private var interimCount = 0

  /// - Parameter mayOutlive: Whether it goes on without subscribers if one of them wished so.
  init(mayOutlive: Bool, idleLevel: UInt8) {
    self.mayOutlive = mayOutlive
    level = idleLevel
    self.idleLevel = idleLevel
  }

  private let idleLevel: UInt8

  // MARK: Coming and going

  /// Subscribers whose ``Interests`` are looked after while bytes arrive.
  var followsArrival: Bool { followers > 0 }
  /// Previews that are wanted now.
  var wantedPreviews: Set<ImageRequest.PreviewPolicy> { Set(previews.keys) }

  /// Until when it has to be there for at least one who waits; `nil` if somebody waits without limit. O(subscribers).
  var latestDeadline: Duration? {
    patient > 0 ? nil : subscribers.values.lazy.filter { !$0.hasLeft }.compactMap(\.deadline).max()
  }

  /// Whether it can be joined: it works, or has succeeded and is still being stored or used by another job.
  var isOpen: Bool {
    if isCancelled { return false }
    switch phase {
    case .waiting, .running: return true
    case .finished(.success): return !isSettled || jobs > 0
    case .finished(.failure): return false
    }
  }

  /// A new subscriber; `nil` when it cannot be joined.
  mutating func join(_ want: SubscriptionOptions) -> (id: ID, actions: Actions)? {
    guard isOpen else { return nil }
    nextID += 1
    let own = want.own
    var subscriber = Subscriber(
      level: want.level.rawValue, isJob: want.isOfJob, worksWithValue: want.isOfJob,
      followsArrival: own.followsArrival,
      deadline: want.deadline)
    if isFinished {
      // Nothing but the ending is of interest now.
      subscriber.hasSeenStart = true
      (subscriber.seenArrival, subscriber.seenInterim) = (arrivals, interimCount)
    }
    subscribers[nextID] = subscriber
    count += 1
    levels[subscriber.level, default: 0] += 1
    if subscriber.isJob { jobs += 1 }
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

  /// A subscriber leaves; a call of it that waits ends with `error`, unless the job has ended before. Harmless when
  /// repeated.
  ///
  /// - Parameter wanted: What it wanted until now.
  mutating func leave(_ id: ID, wanted: JobRequirements, _ error: any Error) -> Actions {
    var actions = Actions()
    guard var subscriber = subscribers[id], !subscriber.hasLeft else { return actions }
    if let waiter = subscriber.waiter.take() { actions.resumes.append(waiter) }
    subscriber.hasLeft = true
    if !isFinished { subscriber.error = error }
    subscribers[id] = subscriber
    watching.remove(id)
    count -= 1
    // What a caller wants was added when it came.
    if subscriber.isJob { demand.add(wanted.lasting) }
    remove(subscriber, wanted.previews)
    if count == 0, !isFinished, !(mayOutlive && demand.continuesInBackground && isRunning) {
      isCancelled = true
      actions.cancels = true
      actions.isForgotten = true
    }
    updateLevel(&actions)
    if subscriber.isJob { releaseIfUnused(&actions) }
    return actions
  }

  /// A job has no more use for the value; it stays subscribed for the end.
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

  /// A subscriber asks no more.
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

  /// A subscriber wants it more or less urgently.
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
    // There are as many levels as priorities of tasks: six.
    let highest = levels.keys.max() ?? idleLevel
    if highest != level, !isFinished {
      level = highest
      actions.isReprioritised = true
    }
  }

  /// Whether everyone has been told the ending.
  var isFinished: Bool { if case .finished = phase { true } else { false } }

  // MARK: Telling

  /// It has its turn. False if nobody wants it any more.
  mutating func admit() -> Bool {
    guard case .waiting = phase, !isCancelled else { return false }
    phase = .running
    return true
  }

  /// The work has begun.
  mutating func start() -> Actions {
    if isFinished || hasStarted { return Actions() }
    hasStarted = true
    return wake(.start)
  }

  /// Bytes have arrived.
  mutating func arrive(_ arrival: Arrival) -> Actions {
    if isFinished { return Actions() }
    self.arrival = arrival
    arrivals += 1
    return wake(.progress)
  }

  /// There is something to see.
  mutating func show(_ preview: Image) -> Actions {
    if isFinished { return Actions() }
    self.preview = preview
    previewCount += 1
    return wake(.previews)
  }

  /// The preview that nobody has taken yet is given up. Images of others are not.
  mutating func dropPreview() -> Bool {
    defer { preview = nil }
    return preview != nil
  }

  /// There is a value that will do for now.
  mutating func offer(_ interim: Value) -> Actions {
    if isFinished { return Actions() }
    self.interim = interim
    interimCount += 1
    return wake(.interim)
  }

  /// What would do for now is given up: nobody finds it any more.
  mutating func dropInterim() -> Bool {
    defer { interim = nil }
    return interim != nil
  }

  /// A subscriber has to look again at what has arrived.
  mutating func lookAgain(_ id: ID) -> Actions {
    guard !isFinished, arrival != nil, subscribers[id]?.hasLeft == false else { return Actions() }
    subscribers[id]?.seenArrival = -1
    var actions = Actions()
    resumeIfReady(id, &actions)
    return actions
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

  /// It has ended, unless it had before.
  mutating func finish(_ result: Result<Value, any Error>) -> Actions {
    var actions = Actions()
    if isFinished { return actions }
    phase = .finished(result)
    // Nobody needs to see a part any more.
    preview = nil
    watching = []
    for id in subscribers.keys {
      if let waiter = subscribers[id]?.waiter.take() { actions.resumes.append(waiter) }
    }
    if !isOpen { actions.isForgotten = true }
    releaseIfUnused(&actions)
    return actions
  }

  /// It ends with an error, if it has not ended, and its work is cancelled.
  mutating func abort(_ error: any Error) -> Actions {
    var actions = finish(.failure(error))
    actions.cancels = !isCancelled
    actions.isForgotten = true
    isCancelled = true
    return actions
  }

  /// The work is over.
  mutating func settle() -> Actions {
    var actions = Actions()
    isSettled = true
    actions.resumes = Array(settling.values)
    settling = [:]
    if !isOpen { actions.isForgotten = true }
    releaseIfUnused(&actions)
    return actions
  }

  /// Bytes that were reserved for what was made belong to those who have it, as soon as no job works with it.
  private mutating func releaseIfUnused(_ actions: inout Actions) {
    guard isFinished, jobs == 0 else { return }
    actions.releases = true
    if isSettled { actions.isForgotten = true }
  }

  // MARK: Waiting

  /// A new call of a subscriber, which displaces one that waits.
  mutating func beginCall(_ id: ID) -> (call: Int, displaced: Waiter?) {
    guard var subscriber = subscribers[id] else { return (0, nil) }
    subscriber.call += 1
    let displaced = subscriber.waiter.take()
    subscribers[id] = subscriber
    if displaced != nil { watching.remove(id) }
    return (subscriber.call, displaced)
  }

  /// What a call is told; `nil` while there is nothing.
  mutating func take(_ id: ID, call: Int, _ interests: EventMask) -> Result<JobEvent<Value>, any Error>? {
    // Two calls at once are a mistake of the caller, and still end both.
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

  /// A call waits.
  ///
  /// - Returns: The waiter, if there is something to look at already.
  mutating func wait(_ id: ID, call: Int, _ interests: EventMask, _ waiter: Waiter) -> Waiter? {
    guard subscribers[id]?.call == call, !hasNews(id, interests) else { return waiter }
    subscribers[id]?.waiter = waiter
    subscribers[id]?.interests = interests
    if !interests.isEmpty { watching.insert(id) }
    return nil
  }

  /// Somebody waits for the work to be over.
  ///
  /// - Returns: The waiter, if it is.
  mutating func awaitSettling(_ number: Int, _ waiter: Waiter) -> Waiter? {
    if isSettled { return waiter }
    settling[number] = waiter
    return nil
  }

  /// Somebody does not wait for that any longer.
  mutating func leaveSettling(_ number: Int) -> Waiter? {
    settling.removeValue(forKey: number)
  }
}
