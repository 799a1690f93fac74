import CalotypeImaging
import CalotypeLoading
import CalotypeSupport

/// A unit of work shared by its subscribers, driven by a ``JobStateMachine``.
///
/// Subscribers join and leave on any thread; the work is one task, or a part of another job's task. The job
/// has the priority of its most urgent subscriber. It is cancelled when the last subscriber leaves. A job
/// that has succeeded can be joined until everything is stored and no other job uses its value, so that
/// work is not repeated between a result and its arrival in a cache.
final class Job<Value: Sendable>: Sendable {
  typealias Machine = JobStateMachine<Value, Waiter<Void>>

  private struct State {
    var machine: Machine
    /// Ends the work, or takes it out of the queue.
    var cancel: (@Sendable () -> Void)?
    /// Makes the work re-evaluate the demand.
    var wake: (@Sendable () -> Void)?
    /// Called when the job can no longer be joined, and when it is settled.
    var forget: (@Sendable () -> Void)?
    /// The jobs that wait for this one.
    var parents: [Machine.ID: SubscriptionOptions] = [:]
    var transfer: ObservedTransfer?
    /// The reservations of the result, held while jobs work with it.
    var reservations: [MemoryReservation] = []
    var task: Task<Void, Never>?
    var nextWait = 0
  }

  /// The priority of the most urgent subscriber; the lowest of all when there is none.
  let priority: LivePriority
  /// The number of the request that the job was made for.
  let number: Int
  /// The source of the request that the job was made for.
  let leader: ImageSource?
  /// Whether the job was made for another job, rather than for a caller.
  let isOfJob: Bool
  /// The start of the request that the job was made for, if no earlier result may answer it.
  let start: MonotonicTime?
  private let state: Lock<State>

  /// Creates a job that waits for its turn.
  ///
  /// - Parameters:
  ///   - number: Distinguishes the job from others, if it is not shared.
  ///   - leader: The source of the request that the job was made for.
  ///   - mayOutlive: Whether the job continues without subscribers if one of them asked for that.
  ///   - isOfJob: Whether another job needs it, rather than a caller.
  ///   - start: The start of the request, if no earlier result may answer it.
  init(
    number: Int = 0, leader: ImageSource? = nil, mayOutlive: Bool = false, isOfJob: Bool = false,
    start: MonotonicTime? = nil
  ) {
    self.number = number
    self.start = start
    self.isOfJob = isOfJob
    self.leader = leader
    priority = LivePriority(.background)
    state = Lock(
      State(machine: Machine(mayOutlive: mayOutlive, idleLevel: TaskPriority.background.rawValue)))
  }

  // MARK: Work

  /// Sets the handler that ends the work when no subscriber is left; it is called at once if that is
  /// already the case.
  func onCancel(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.machine.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// Sets the handler that is called when the job can no longer be joined, and again when it is settled.
  func onForget(_ forget: @escaping @Sendable () -> Void) {
    state.withLock { $0.forget = forget }
  }

  /// Sets the handler that is called when the demand has changed.
  func onWake(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  /// Admits the job to its turn. Returns false if it has no subscribers left.
  func admit() -> Bool {
    state.withLock { $0.machine.admit() }
  }

  /// Starts the work in its own task, which is cancelled at once if all subscribers have left before.
  ///
  /// - Parameters:
  ///   - work: Finishes the job, and returns when everything is stored.
  ///   - ended: Called when the work has ended.
  func start(
    _ work: @escaping @Sendable @concurrent (Job<Value>) async -> Void,
    ended: @escaping @Sendable () -> Void = {}
  ) {
    _ = admit()
    // Under the lock, so that the work finds its task, and no other thread ends it through a handler that
    // the work has replaced.
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
    // The priority may have been raised while there was no task.
    task.escalatePriority(to: priority.value)
  }

  /// Performs the work of another job as a part of this one's. The task continues as long as either job has
  /// subscribers.
  ///
  /// - Parameters:
  ///   - other: The job, which is settled afterwards.
  ///   - leave: Gives up this job's subscription to the other.
  ///   - work: Finishes the other job.
  func carry<Other>(
    _ other: Job<Other>, leave: @escaping @Sendable () -> Void, _ work: () async -> Void
  ) async {
    let task = state.withLock { $0.task }
    other.adopt(task)
    other.onCancel { task?.cancel() }
    // When all subscribers of this job have left, it leaves the other; when all of that have left too, the
    // task ends.
    onCancel(leave)
    await work()
    other.settle()
    onCancel { task?.cancel() }
  }

  /// Adds a task to be escalated with the priority of this job.
  private func adopt(_ task: Task<Void, Never>?) {
    state.withLock { $0.task = task }
    updatePriority()
    task?.escalatePriority(to: priority.value)
  }

  /// Whether all subscribers have received the ending.
  var isFinished: Bool { state.withLock { $0.machine.isFinished } }

  /// The reservations of the result.
  var reservations: [MemoryReservation] { state.withLock { $0.reservations } }

  /// Discards the preview that no subscriber has taken yet.
  func dropPreview() {
    _ = state.withLock { $0.machine.dropPreview() }
  }

  /// Withdraws the interim value from subscribers that have not seen it, and from new ones.
  func dropInterim() {
    _ = state.withLock { $0.machine.dropInterim() }
  }

  /// Whether no subscriber is left.
  var isCancelled: Bool { state.withLock { $0.machine.isCancelled } }

  // MARK: Subscribers

  /// Returns a new subscription, or `nil` if the job can no longer deliver.
  func join(_ want: SubscriptionOptions) -> Subscription<Value>? {
    guard let (place, actions) = enter(want) else { return nil }
    welcome(place, actions)
    return place
  }

  /// Performs the first half of ``join(_:)``, which may run under the lock of a table; ``welcome(_:_:)``
  /// has to follow.
  func enter(_ want: SubscriptionOptions) -> (Subscription<Value>, Machine.Actions)? {
    let joined = state.withLock { state -> (id: Machine.ID, actions: Machine.Actions)? in
      guard let joined = state.machine.join(want) else { return nil }
      if want.isOfJob { state.parents[joined.id] = want }
      return joined
    }
    return joined.map { (Subscription(job: self, id: $0.id, want: want), $0.actions) }
  }

  /// Performs the second half of ``join(_:)``.
  func welcome(_ place: Subscription<Value>, _ actions: Machine.Actions) {
    carryOut(actions)
    place.followPriority()
    if let listener = place.want.listener, let transfer = state.withLock({ $0.transfer }) {
      listener.follow(transfer)
    }
  }

  /// The number of subscribers that have not left.
  var subscriberCount: Int { state.withLock { $0.machine.count } }

  /// The combined requirements of all present and past subscribers.
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

  /// The latest deadline of all waiting subscribers; `nil` if one of them has none.
  var latestDeadline: Duration? { state.withLock { $0.machine.latestDeadline } }

  func leave(_ id: Machine.ID, _ want: SubscriptionOptions, _ error: any Error) {
    // Evaluated outside the lock: the leaving subscriber may be a job.
    let wanted = want.demand
    carryOut(
      state.withLock { state in
        state.parents[id] = nil
        return state.machine.leave(id, wanted: wanted, error)
      })
  }

  /// Makes a subscriber receive the present state again.
  func startOver(_ id: Machine.ID) { state.withLock { $0.machine.startOver(id) } }

  func letGo(_ id: Machine.ID) { carryOut(state.withLock { $0.machine.letGo(id) }) }

  /// Forgets a subscriber that makes no more calls. A caller also leaves, if it has not; jobs leave by
  /// themselves, because their demand must not be evaluated under a lock.
  func forget(_ id: Machine.ID, _ want: SubscriptionOptions) {
    carryOut(
      state.withLock { state in
        defer { state.machine.forget(id) }
        return want.isOfJob
          ? Machine.Actions() : state.machine.leave(id, wanted: want.own, CancellationError())
      })
  }

  func reprioritise(_ id: Machine.ID, _ level: () -> TaskPriority) {
    // Read under the lock, so that the last of concurrent changes wins.
    carryOut(state.withLock { $0.machine.reprioritise(id, level().rawValue) })
  }

  /// Makes the work re-evaluate the demand.
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

  /// Begins a call of a subscriber, and returns the event that is available already.
  func beginCall(
    _ id: Machine.ID, _ interests: EventMask
  ) -> (call: Int, ready: Result<JobEvent<Value>, any Error>?) {
    let (call, displaced, ready) = state.withLock { state in
      let (call, displaced) = state.machine.beginCall(id)
      return (call, displaced, state.machine.take(id, call: call, interests))
    }
    displaced?.resolve(())
    return (call, ready)
  }

  func take(
    _ id: Machine.ID, call: Int, _ interests: EventMask
  ) -> Result<JobEvent<Value>, any Error>? {
    state.withLock { $0.machine.take(id, call: call, interests) }
  }

  func wait(
    _ id: Machine.ID, call: Int, _ interests: EventMask, _ waiter: Waiter<Void>
  ) {
    state.withLock { $0.machine.wait(id, call: call, interests, waiter) }?.resolve(())
  }

  // MARK: Publishing

  /// Informs every subscriber that the work has begun.
  func publishStart() { carryOut(state.withLock { $0.machine.start() }) }

  /// Delivers a preview to every subscriber.
  func publish(preview: Image) { carryOut(state.withLock { $0.machine.show(preview) }) }

  /// Delivers an interim value to every subscriber, for use until the work is done.
  func publish(interim: Value) { carryOut(state.withLock { $0.machine.offer(interim) }) }

  /// Informs every subscriber of the progress of the transfer.
  func publish(_ arrival: Arrival) { carryOut(state.withLock { $0.machine.arrive(arrival) }) }

  /// Keeps bytes reserved until no job works with the result.
  func keep(_ reservations: [MemoryReservation]) {
    if reservations.isEmpty { return }
    state.withLock { $0.reservations += reservations }
  }

  /// Ends the job. The first call determines the ending that every subscriber receives.
  func finish(_ result: Result<Value, any Error>) {
    carryOut(state.withLock { $0.machine.finish(result, at: .now) })
    stopFollowing()
  }

  /// Ends the job and its work with an error, if it is still running.
  func abort(_ error: any Error) {
    carryOut(state.withLock { $0.machine.abort(error) })
    stopFollowing()
  }

  /// Records that everything is stored.
  func settle() {
    carryOut(state.withLock { $0.machine.settle() })
    stopFollowing()
  }

  /// Whether the job has ended, and its result is stored.
  var isSettled: Bool { state.withLock { $0.machine.isSettled } }

  /// Waits until all subscribers have the ending and everything is stored, or the task is cancelled.
  func waitUntilStored() async {
    if isSettled { return }
    let waiter = Waiter<Void>()
    let (number, ready) = state.withLock { state in
      state.nextWait += 1
      return (state.nextWait, state.machine.awaitSettling(state.nextWait, waiter))
    }
    ready?.resolve(())
    await withTaskCancellationHandler {
      await waiter.value()
    } onCancel: {
      state.withLock { $0.machine.leaveSettling(number) }?.resolve(())
    }
  }

  // MARK: Performing actions

  private func carryOut(_ actions: Machine.Actions) {
    if actions.isReprioritised { updatePriority() }
    for waiter in actions.resumes { waiter.resolve(()) }
    if actions.wakesWork { wake() }
    if actions.cancels { state.withLock { $0.cancel }?() }
    if actions.releases {
      // Released when the last job no longer uses them.
      _ = state.withLock { state in
        defer { state.reservations = [] }
        return state.reservations
      }
    }
    if actions.isForgotten { state.withLock { $0.forget }?() }
  }

  /// Updates the priority to that of the most urgent subscriber.
  private func updatePriority() {
    while true {
      let (level, task) = state.withLock { ($0.machine.level, $0.task) }
      let wanted = TaskPriority(rawValue: level)
      let raises = wanted > priority.value
      priority.set(wanted)
      // A task cannot be lowered again; queues follow the priority itself.
      if raises { task?.escalatePriority(to: wanted) }
      // The level may have changed meanwhile: the thread that sets it last checks again.
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
    // The job may have ended meanwhile.
    if state.withLock({ $0.machine.isFinished }) { transfer.remove(self) }
  }

  func transferProgressed(_ arrival: Arrival) {
    publish(arrival)
  }
}

extension SubscriptionOptions {
  /// Creates the options with which `job` subscribes to another job that it waits for.
  init<Value>(of job: Job<Value>, changing: @escaping @Sendable (inout JobRequirements) -> Void = { _ in }) {
    self.init(
      JobRequirements(), level: job.priority.value, priority: job.priority,
      inherited: {
        var requirements = job.demand
        changing(&requirements)
        return requirements
      }, listener: job)
    number = job.number
    start = job.start
  }
}
