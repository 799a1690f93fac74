import CalotypeImaging
import CalotypeLoading
import CalotypeSupport

/// A piece of work and everyone who waits for it: carries out what a ``JobStateMachine`` says.
///
/// Subscribers come and go on any thread; the work is one task, or a part of that of another job. It is as urgent as the
/// most urgent of them. The last one to leave cancels it. A job that has succeeded can be joined until everything is stored
/// and no other job uses its value, so that work is not repeated in the moment between a result and its arrival in a cache.
final class Job<Value: Sendable>: Sendable {
  typealias Machine = JobStateMachine<Value, CheckedContinuation<Void, Never>>

  private struct State {
    var machine: Machine
    /// Ends the work, or takes it out of the queue.
    var cancel: (@Sendable () -> Void)?
    /// Has the work look again at what is wanted.
    var wake: (@Sendable () -> Void)?
    /// Called when it can no longer be joined, and when it is settled.
    var forget: (@Sendable () -> Void)?
    /// The jobs that wait for this one.
    var parents: [Machine.ID: SubscriptionOptions] = [:]
    var transfer: ObservedTransfer?
    /// Of what was made, for as long as jobs work with it.
    var reservations: [MemoryReservation] = []
    var task: Task<Void, Never>?
    var nextWait = 0
  }

  /// That of the most urgent subscriber; the lowest of all when there is none.
  let priority: LivePriority
  /// That of the request it was made for.
  let number: Int
  /// The source of the request that it was made for.
  let leader: ImageSource?
  /// Whether it was made for another job, rather than a caller.
  let isOfJob: Bool
  private let state: Lock<State>

  /// A job that waits for its turn.
  ///
  /// - Parameters:
  ///   - number: Tells it from jobs of others, if it is not shared.
  ///   - leader: The source of the request that it was made for.
  ///   - mayOutlive: Whether it goes on without subscribers if one of them wished so.
  ///   - isOfJob: Whether another job needs it, rather than a caller.
  init(number: Int = 0, leader: ImageSource? = nil, mayOutlive: Bool = false, isOfJob: Bool = false) {
    self.number = number
    self.isOfJob = isOfJob
    self.leader = leader
    priority = LivePriority(.background)
    state = Lock(
      State(machine: Machine(mayOutlive: mayOutlive, idleLevel: TaskPriority.background.rawValue)))
  }

  // MARK: Work

  /// Says how the work is ended when nobody wants it any more: at once, if that is so already.
  func onCancel(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.machine.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// Says what is to be done when it can no longer be joined, and again when it is settled.
  func onForget(_ forget: @escaping @Sendable () -> Void) {
    state.withLock { $0.forget = forget }
  }

  /// Says what to do when something else is wanted than before.
  func onWake(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  /// It has its turn. False if nobody wants it any more.
  func admit() -> Bool {
    state.withLock { $0.machine.admit() }
  }

  /// Starts the work in a task of its own. It is cancelled at once when all subscribers have left before.
  ///
  /// - Parameters:
  ///   - work: Finishes the job, and returns when everything is stored.
  ///   - ended: Called when the work has ended.
  func start(
    _ work: @escaping @Sendable @concurrent (Job<Value>) async -> Void,
    ended: @escaping @Sendable () -> Void = {}
  ) {
    _ = admit()
    // Under the lock, so that the work finds its task, and nobody ends it in a way that the work has replaced.
    let (task, isCancelled) = state.withLock { state in
      let task = Task(priority: priority.value) {
        await work(self)
        self.settle()
        ended()
      }
      state.task = task
      state.cancel = { task.cancel() }
      return (task, state.machine.isCancelled)
    }
    if isCancelled { task.cancel() }
    // It may have been raised while there was no task.
    task.escalatePriority(to: priority.value)
  }

  /// Does the work of another job as a part of this one's, whose task goes on as long as anybody wants either.
  ///
  /// - Parameters:
  ///   - other: The job, which is settled afterwards.
  ///   - leave: Gives up this one's place in it.
  ///   - work: Finishes the other job.
  func carry<Other>(
    _ other: Job<Other>, leave: @escaping @Sendable () -> Void, _ work: () async -> Void
  ) async {
    let task = state.withLock { $0.task }
    other.adopt(task)
    other.onCancel { task?.cancel() }
    // Who is left by everyone leaves the other; when that is left by everyone too, it ends the task.
    onCancel(leave)
    await work()
    other.settle()
    onCancel { task?.cancel() }
  }

  /// Has a task raised with the priority of this job.
  private func adopt(_ task: Task<Void, Never>?) {
    state.withLock { $0.task = task }
    updatePriority()
    task?.escalatePriority(to: priority.value)
  }

  /// Whether everyone has been told the ending.
  var isFinished: Bool { state.withLock { $0.machine.isFinished } }

  /// What is reserved for what was made.
  var reservations: [MemoryReservation] { state.withLock { $0.reservations } }

  /// The preview that nobody has taken yet is given up.
  func dropPreview() {
    _ = state.withLock { $0.machine.dropPreview() }
  }

  /// What would do for now is not shown any more, to those who have not looked and those who come.
  func dropInterim() {
    _ = state.withLock { $0.machine.dropInterim() }
  }

  /// Whether nobody wants it any more.
  var isCancelled: Bool { state.withLock { $0.machine.isCancelled } }

  // MARK: Subscribers

  /// A new subscription, or `nil` when the job can no longer deliver.
  func join(_ want: SubscriptionOptions) -> Subscription<Value>? {
    guard let (place, actions) = enter(want) else { return nil }
    welcome(place, actions)
    return place
  }

  /// The first half of ``join(_:)``, which may be called under a lock of a table; ``welcome(_:_:)`` has to follow.
  func enter(_ want: SubscriptionOptions) -> (Subscription<Value>, Machine.Actions)? {
    let joined = state.withLock { state -> (id: Machine.ID, actions: Machine.Actions)? in
      guard let joined = state.machine.join(want) else { return nil }
      if want.isOfJob { state.parents[joined.id] = want }
      return joined
    }
    return joined.map { (Subscription(job: self, id: $0.id, want: want), $0.actions) }
  }

  /// The second half of ``join(_:)``.
  func welcome(_ place: Subscription<Value>, _ actions: Machine.Actions) {
    carryOut(actions)
    place.followPriority()
    if let listener = place.want.listener, let transfer = state.withLock({ $0.transfer }) {
      listener.follow(transfer)
    }
  }

  /// Subscribers that have not left.
  var subscriberCount: Int { state.withLock { $0.machine.count } }

  /// All that anybody wants, or has wanted.
  var demand: JobRequirements {
    var (demand, parents) = state.withLock { state in
      var demand = state.machine.demand
      demand.previews = state.machine.wantedPreviews
      demand.watchesProgress = state.machine.followsArrival
      return (demand, state.parents.isEmpty ? [] : Array(state.parents.values))
    }
    for parent in parents { demand.add(parent.demand) }
    return demand
  }

  /// Until when it has to be there for at least one who waits; `nil` if somebody has time.
  var latestDeadline: Duration? { state.withLock { $0.machine.latestDeadline } }

  func leave(_ id: Machine.ID, _ want: SubscriptionOptions, _ error: any Error) {
    // Asked outside the lock: the one who leaves may be a job.
    let wanted = want.demand
    carryOut(
      state.withLock { state in
        state.parents[id] = nil
        return state.machine.leave(id, wanted: wanted, error)
      })
  }

  func letGo(_ id: Machine.ID) { carryOut(state.withLock { $0.machine.letGo(id) }) }

  /// A subscriber asks no more. A caller leaves too, if it has not; jobs leave by themselves, as they may be asked for what
  /// they want under no lock.
  func forget(_ id: Machine.ID, _ want: SubscriptionOptions) {
    carryOut(
      state.withLock { state in
        defer { state.machine.forget(id) }
        return want.isOfJob
          ? Machine.Actions() : state.machine.leave(id, wanted: want.own, CancellationError())
      })
  }

  func reprioritise(_ id: Machine.ID, _ level: () -> TaskPriority) {
    // Looked up under the lock, so that of changes at the same time the last one stays.
    carryOut(state.withLock { $0.machine.reprioritise(id, level().rawValue) })
  }

  /// Has the work look again at what is wanted.
  func wake() {
    state.withLock { $0.wake }?()
  }

  func lookAgain(_ id: Machine.ID) {
    let actions = state.withLock { state in
      let arrived = (state.transfer?.arrival).map { state.machine.arrive($0) }
      return [arrived ?? Machine.Actions(), state.machine.lookAgain(id)]
    }
    for actions in actions { carryOut(actions) }
    wake()
  }

  // MARK: Waiting

  /// A new call of a subscriber, and what it is told already.
  func beginCall(
    _ id: Machine.ID, _ interests: EventMask
  ) -> (call: Int, ready: Result<JobEvent<Value>, any Error>?) {
    let (call, displaced, ready) = state.withLock { state in
      let (call, displaced) = state.machine.beginCall(id)
      return (call, displaced, state.machine.take(id, call: call, interests))
    }
    displaced?.resume()
    return (call, ready)
  }

  func take(
    _ id: Machine.ID, call: Int, _ interests: EventMask
  ) -> Result<JobEvent<Value>, any Error>? {
    state.withLock { $0.machine.take(id, call: call, interests) }
  }

  func wait(
    _ id: Machine.ID, call: Int, _ interests: EventMask, _ continuation: CheckedContinuation<Void, Never>
  ) {
    state.withLock { $0.machine.wait(id, call: call, interests, continuation) }?.resume()
  }

  // MARK: Telling

  /// Tells every subscriber that the work has begun.
  func publishStart() { carryOut(state.withLock { $0.machine.start() }) }

  /// Shows every subscriber what can be seen so far.
  func publish(preview: Image) { carryOut(state.withLock { $0.machine.show(preview) }) }

  /// Gives every subscriber a value that will do until the work is done.
  func publish(interim: Value) { carryOut(state.withLock { $0.machine.offer(interim) }) }

  /// Tells every subscriber how far the transfer is.
  func publish(_ arrival: Arrival) { carryOut(state.withLock { $0.machine.arrive(arrival) }) }

  /// Keeps bytes reserved until no job works with what was made.
  func keep(_ reservations: [MemoryReservation]) {
    if reservations.isEmpty { return }
    state.withLock { $0.reservations += reservations }
  }

  /// Ends the job: the first call counts, and every subscriber gets this one ending.
  func finish(_ result: Result<Value, any Error>) {
    carryOut(state.withLock { $0.machine.finish(result) })
    stopFollowing()
  }

  /// Ends the job with an error, if it is still running, and its work.
  func abort(_ error: any Error) {
    carryOut(state.withLock { $0.machine.abort(error) })
    stopFollowing()
  }

  /// Says that everything is stored.
  func settle() {
    carryOut(state.withLock { $0.machine.settle() })
    stopFollowing()
  }

  /// Whether everyone has the ending, and everything is stored.
  var isSettled: Bool { state.withLock { $0.machine.isSettled } }

  /// Waits until everyone has the ending and everything is stored, or the task is cancelled.
  func waitUntilStored() async {
    let number = state.withLock { state in
      state.nextWait += 1
      return state.nextWait
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state in
          Task.isCancelled ? continuation : state.machine.awaitSettling(number, continuation)
        }
        ready?.resume()
      }
    } onCancel: {
      state.withLock { $0.machine.leaveSettling(number) }?.resume()
    }
  }

  // MARK: Carrying out

  private func carryOut(_ actions: Machine.Actions) {
    if actions.isReprioritised { updatePriority() }
    for waiter in actions.resumes { waiter.resume() }
    if actions.wakesWork { wake() }
    if actions.cancels { state.withLock { $0.cancel }?() }
    if actions.releases {
      // Given back when the last job lets go of them.
      _ = state.withLock { state in
        defer { state.reservations = [] }
        return state.reservations
      }
    }
    if actions.isForgotten { state.withLock { $0.forget }?() }
  }

  /// Brings the priority to that of the most urgent subscriber.
  private func updatePriority() {
    while true {
      let (level, task) = state.withLock { ($0.machine.level, $0.task) }
      let wanted = TaskPriority(rawValue: level)
      let raises = wanted > priority.value
      priority.set(wanted)
      // A task cannot be lowered again; queues follow the priority itself.
      if raises { task?.escalatePriority(to: wanted) }
      // It may have changed meanwhile: whoever sets last looks again.
      if state.withLock({ $0.machine.level }) == level { return }
    }
  }

  private func stopFollowing() {
    let transfer = state.withLock { state in
      state.wake = nil
      return state.transfer.take()
    }
    transfer?.remove(self)
  }
}

extension Job: TransferListening {
  func follow(_ transfer: ObservedTransfer) {
    let (listeners, isOver) = state.withLock { state in
      if state.machine.isFinished { return ([any TransferListening](), true) }
      state.transfer = transfer
      return (state.parents.values.compactMap(\.listener), false)
    }
    if isOver { return }
    transfer.add(self)
    for listener in listeners { listener.follow(transfer) }
    // It may have ended meanwhile.
    if state.withLock({ $0.machine.isFinished }) { transfer.remove(self) }
  }

  func transferProgressed(_ arrival: Arrival) {
    publish(arrival)
  }
}
