import CalotypeSupport

/// Admits work of one kind, limited in concurrency and in bytes of a ledger, in the order of a
/// ``FairQueue``.
///
/// A waiting entry moves in the queue when its priority changes, and leaves it when its task is cancelled.
final class WorkQueue: Sendable {
  /// The result of a search for entries that may begin.
  private struct Outcome {
    var answers: Answers = []
    /// The first claim that does not fit, if it is new.
    var missing: Claim?
    /// True if the shortage of memory in this queue has ended.
    var hasRoomAgain = false
  }

  /// A turn with its reserved bytes, to be ended by ``end()``.
  struct Turn: Sendable {
    fileprivate let queue: WorkQueue
    fileprivate let flow: QueueFlow
    let reservation: MemoryReservation?
    /// The time spent waiting.
    let waited: Duration

    /// Ends the turn; the bytes stay reserved.
    func end() { queue.finish(flow) }
  }

  /// A handle for withdrawing an entry, when its work has been done elsewhere.
  final class Ticket: Sendable {
    fileprivate enum State {
      case new
      case waiting(WorkQueue, Int)
      case withdrawn
    }

    fileprivate let state = Lock(State.new)

    fileprivate var isWithdrawn: Bool { state.withLock { if case .withdrawn = $0 { true } else { false } } }

    /// Ends the waiting, now or as soon as it begins.
    func withdraw() {
      let before = state.withLock { state in
        defer { state = .withdrawn }
        return state
      }
      if case .waiting(let queue, let id) = before { queue.leave(id) }
    }
  }

  /// The single answer to an entry.
  enum Answer: Sendable {
    case turn(Turn)
    /// The entry was removed from the queue.
    case left
    /// The entry has waited until ``Claim/expiry``.
    case expired
    /// The entry can never have a turn.
    case refused(any Error)
  }

  private struct Entry {
    let claim: Claim
    let start: Duration
    /// The number of the timer call that ends the waiting.
    var expiry: Int?
    let answer: @Sendable (Answer) -> Void
  }

  /// The answers to be given outside the lock.
  private typealias Answers = [(waiter: Entry, value: Answer)]

  private struct State {
    var limit: Int
    let limitPerFlow: Int
    let waitingLimit: Int
    var isSuspended = false
    var nextID = 0
    var queue = FairQueue<QueueFlow>()
    var waiters: [Int: Entry] = [:]
    /// The first entry that did not fit, and the last number that may pass it.
    var blocked: (id: Int, last: Int)?
    /// True while a thread is giving answers; `looksAgain` makes it check again when it is done.
    var isAnswering = false
    var looksAgain = false
    var running = 0
    var peakRunning = 0
    var peakWaiting = 0
    var refused = 0
    /// The measured pace of turns.
    var pace = ThroughputEstimator()

    /// Returns whether a flow with that many turns may have another: there must be more free slots than it
    /// holds (dynamic threshold: Choudhury and Hahne, 1998), so that a few flows never take all.
    func mayRun(_ flow: QueueFlow, _ running: Int) -> Bool {
      guard limitPerFlow < limit else { return true }
      return running < limitPerFlow && (limit < 4 || running < limit - self.running)
    }
  }

  private let state: Lock<State>
  private let memory: ImagePipeline.Memory?
  private let now: @Sendable () -> Duration
  private let timer: ExpiryTimer?
  private let observation = Lock<Int?>(nil)
  /// Distinguishes this queue's shortages from those of others.
  private let owner: Int?

  /// - Parameters:
  ///   - limit: The number of concurrent turns.
  ///   - limitPerFlow: The number of concurrent turns of one flow.
  ///   - waitingLimit: The number of entries that may wait. One flow may have as many waiting entries as it
  ///     leaves free for others.
  ///   - memory: The memory that reserves bytes; `nil` for work without bytes.
  ///   - now: The time.
  ///   - timer: Ends waiting; `nil` for a queue without ``Claim/expiry``.
  init(
    limit: Int, limitPerFlow: Int = .max, waitingLimit: Int = .max, memory: ImagePipeline.Memory? = nil,
    now: @escaping @Sendable () -> Duration, timer: ExpiryTimer? = nil
  ) {
    state = Lock(
      State(limit: max(1, limit), limitPerFlow: max(1, limitPerFlow), waitingLimit: max(1, waitingLimit)))
    self.memory = memory
    self.now = now
    self.timer = timer
    owner = memory?.ownerNumber()
    let number = memory?.whenThereIsRoom { [weak self] in self?.change { _ in } }
    observation.withLock { $0 = number }
  }

  deinit {
    if let number = observation.withLock({ $0 }) { memory?.stopTelling(number) }
    if let owner { memory?.endShortage(owner) }
    memory?.announceRoom()
  }

  // MARK: Asynchronous

  /// Runs `body` when its turn comes; its bytes are released with the turn.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before; ``PipelineError``; errors of `body`.
  func run<Result: Sendable>(
    priority: LivePriority, _ claim: Claim = Claim(), _ body: () async throws -> Result
  ) async throws -> Result {
    let turn = try await enter(priority: priority, claim)
    defer {
      turn.end()
      turn.reservation?.release()
    }
    return try await body()
  }

  /// Waits for a turn, which has to be ended by ``Turn/end()``. The bytes stay reserved until they are released.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before; ``QueueTimeout``; ``PipelineError``.
  func enter(priority: LivePriority, _ claim: Claim = Claim()) async throws -> Turn {
    guard let turn = try await enter(priority: priority, claim, ticket: nil) else {
      throw CancellationError()
    }
    return turn
  }

  /// Waits for a turn in the same way; returns `nil` if the ticket was withdrawn before the turn came.
  func enter(priority: LivePriority, _ claim: Claim, ticket: Ticket?) async throws -> Turn? {
    if ticket?.isWithdrawn != true, let turn = enterAtOnce(claim) { return turn }
    let answer = Waiter<Answer>()
    let id = number()
    let observation = priority.observe { [weak self] in self?.move(id, to: priority.value.rawValue) }
    defer { observation.cancel() }
    submit(id, claim, level: { priority.value.rawValue }) { answer.resolve($0) }
    // The priority may have changed before the entry was in the queue.
    move(id, to: priority.value.rawValue)
    let isWithdrawn =
      ticket?.state.withLock { state in
        if case .withdrawn = state { return true }
        state = .waiting(self, id)
        return false
      } ?? false
    if isWithdrawn { leave(id) }
    let ending = await withTaskCancellationHandler {
      await answer.value()
    } onCancel: {
      leave(id)
    }
    switch ending {
    case .turn(let turn): return turn
    case .refused(let error): throw error
    case .expired: throw QueueTimeout()
    case .left:
      try Task.checkCancellation()
      return nil
    }
  }

  /// Returns a turn without waiting, if no entry waits and the claim fits.
  private func enterAtOnce(_ claim: Claim) -> Turn? {
    state.withLock { state -> Turn? in
      guard !state.isSuspended, state.running < state.limit, state.queue.count == 0, !Task.isCancelled,
        state.mayRun(claim.flow, state.queue.running(in: claim.flow))
      else { return nil }
      var reservation: MemoryReservation?
      if claim.bytes > 0, let memory {
        guard
          let reserved = memory.tryReserve(
            claim.bytes, in: claim.account, queue: owner, holdsBytes: claim.held != nil)
        else { return nil }
        reservation = reserved
      }
      state.queue.startAtOnce(claim.flow, cost: claim.cost)
      Self.count(&state)
      return Turn(queue: self, flow: claim.flow, reservation: reservation, waited: .zero)
    }
  }

  // MARK: Callbacks

  /// Returns a number for ``submit(_:_:level:answer:)``, larger than all before.
  func number() -> Int {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  /// Adds an entry to the queue. `answer` is called once, on any thread and outside all locks: at once when
  /// the entry can have its turn now.
  ///
  /// - Parameters:
  ///   - id: A number from ``number()``.
  ///   - claim: The requested resources.
  ///   - level: The current priority level.
  ///   - answer: Called with the answer.
  func submit(
    _ id: Int, _ claim: Claim, level: () -> UInt8, answer: @escaping @Sendable (Answer) -> Void
  ) {
    let now = now()
    let level = level()
    change { state in
      state.waiters[id] = Entry(claim: claim, start: now, answer: answer)
      state.queue.insert(id, flow: claim.flow, level: level, cost: claim.cost, now: now.nanosecondCount)
      state.peakWaiting = max(state.peakWaiting, state.queue.count)
    }
    guard let expiry = claim.expiry, let timer, state.withLock({ $0.waiters[id] != nil }) else { return }
    let number = timer.add(at: expiry) { [weak self] in self?.leave(id, .expired) }
    let isWaiting = state.withLock { state in
      state.waiters[id]?.expiry = number
      return state.waiters[id] != nil
    }
    if !isWaiting { timer.remove(number) }
  }

  /// Checks whether one more entry of a flow may wait: not when all waiting places are taken, nor when the
  /// flow already has more waiting entries than it leaves free.
  ///
  /// - Returns: The time after which to retry, if it may not; this counts as a refusal.
  func refusal(of flow: QueueFlow) -> (waiting: Int, retryAfter: Duration)? {
    state.withLock { state in
      let free = state.waitingLimit - state.queue.count
      if free > 0, state.queue.waiting(in: flow) < free || state.queue.waiting(in: flow) < 16 { return nil }
      state.refused += 1
      return (state.queue.count, state.pace.wait(for: state.queue.count))
    }
  }

  /// The predicted waiting time of an entry that arrives now.
  var predictedWait: Duration { state.withLock { $0.pace.wait(for: $0.queue.count) } }

  /// Changes the level of a waiting entry.
  func move(_ id: Int, to level: UInt8) {
    change { $0.queue.move(id, to: level) }
  }

  /// Removes an entry from the queue, answering it. Has no effect when the entry does not wait.
  func leave(_ id: Int) { leave(id, .left) }

  private func leave(_ id: Int, _ answer: Answer) {
    let (waiter, wasBlocked, isBlocked) = state.withLock { state -> (Entry?, Bool, Bool) in
      guard state.queue.remove(id) else { return (nil, false, false) }
      let wasBlocked = state.blocked?.id == id
      if wasBlocked { endShortage(&state) }
      return (state.waiters.removeValue(forKey: id), wasBlocked, state.blocked != nil)
    }
    if let waiter { tell(waiter, answer) }
    // The entry has blocked others, here and in other queues.
    if wasBlocked { memory?.announceRoom() }
    if wasBlocked || isBlocked { change { _ in } }
  }

  // MARK: Turns

  private func finish(_ flow: QueueFlow) {
    let now = now()
    change { state in
      state.queue.finish(flow)
      state.running -= 1
      state.pace.finish(at: now, isBusy: state.queue.count > 0)
    }
  }

  private static func count(_ state: inout State) {
    state.running += 1
    state.peakRunning = max(state.peakRunning, state.running)
  }

  /// Changes the state and gives the resulting answers. An answer may end its turn at once, and the next
  /// one too: the call that is giving answers checks again, so that the stack does not grow with the queue.
  private func change(_ body: (inout State) -> Void) {
    let now = now()
    var next = state.withLock { state -> Outcome? in
      body(&state)
      if state.isAnswering {
        state.looksAgain = true
        return nil
      }
      state.isAnswering = true
      return admit(&state, at: now)
    }
    while let outcome = next {
      for (waiter, value) in outcome.answers { tell(waiter, value) }
      if outcome.hasRoomAgain { memory?.announceRoom() }
      if let missing = outcome.missing { memory?.reclaim(missing.bytes, for: missing.account) }
      let now = self.now()
      next = state.withLock { state in
        guard state.looksAgain else {
          state.isAnswering = false
          return nil
        }
        state.looksAgain = false
        return admit(&state, at: now)
      }
    }
  }

  private func tell(_ waiter: Entry, _ answer: Answer) {
    if let number = waiter.expiry { timer?.remove(number) }
    waiter.answer(answer)
  }

  /// Ends the shortage of this queue. The caller has to call ``ImagePipeline/Memory/announceRoom()``
  /// afterwards, without the lock.
  private func endShortage(_ state: inout State) {
    state.blocked = nil
    if let owner { memory?.endShortage(owner) }
  }

  /// Gives turns to the entries that may begin now.
  private func admit(_ state: inout State, at now: Duration) -> Outcome {
    var outcome = Outcome()
    // Taken out, so that its closures may read the rest of the state.
    var queue = FairQueue<QueueFlow>()
    swap(&queue, &state.queue)
    defer { swap(&queue, &state.queue) }
    while !state.isSuspended, state.running < state.limit, queue.count > 0 {
      var reservation: MemoryReservation?
      var refused: (id: Int, error: any Error)?
      let blockedBefore = state.blocked
      // The entry that waits for memory first: those behind it are kept back, and may be more than one search visits.
      let found = queue.next(first: blockedBefore?.id) { flow, running in
        state.mayRun(flow, running)
      } fits: { id in
        guard let claim = state.waiters[id]?.claim, claim.bytes > 0, let memory else { return true }
        // Entries that came after one that waits for memory must not take it; unless no work is running
        // that would release memory, and these entries hold the memory it waits for. They are few: no more
        // is read meanwhile.
        if let blockedBefore, id > blockedBefore.last, id != blockedBefore.id,
          state.running > 0 || claim.held == nil
        {
          return false
        }
        if let reserved = memory.tryReserve(
          claim.bytes, in: claim.account, queue: owner, holdsBytes: claim.held != nil)
        {
          reservation = reserved
          return true
        }
        if let error = memory.refusal(of: claim.bytes, besides: claim.held?.count ?? 0) {
          refused = (id, error)
          return true
        }
        return false
      }
      if let first = found.blocked.first, state.blocked == nil, let claim = state.waiters[first]?.claim {
        state.blocked = (first, state.nextID)
        outcome.missing = claim
        if let owner {
          memory?.beginShortage(owner, of: claim.bytes) { [weak self] in self?.resolveDeadlock() }
        }
      }
      if found.id == nil, isDeadlocked(state), let victim = victim(state) {
        queue.remove(victim)
        if let waiter = state.waiters.removeValue(forKey: victim) {
          outcome.answers.append((waiter, .refused(MemoryDeadlock(waiting: queue.count))))
        }
        break
      }
      guard let id = found.id, let waiter = state.waiters.removeValue(forKey: id) else { break }
      if state.blocked?.id == id {
        endShortage(&state)
        outcome.hasRoomAgain = true
      }
      if let refused, refused.id == id {
        queue.finish(waiter.claim.flow)
        outcome.answers.append((waiter, .refused(refused.error)))
        continue
      }
      Self.count(&state)
      let turn = Turn(
        queue: self, flow: waiter.claim.flow, reservation: reservation, waited: max(.zero, now - waiter.start)
      )
      outcome.answers.append((waiter, .turn(turn)))
    }
    return outcome
  }

  /// Returns whether all memory is held by entries that wait here for more.
  private func isDeadlocked(_ state: State) -> Bool {
    guard state.blocked != nil, state.running == 0, let encoded = memory?.encodedBytesAlone, encoded > 0
    else { return false }
    var counts: [ObjectIdentifier: Int] = [:]
    for waiter in state.waiters.values {
      if let held = waiter.claim.held { counts[held.holder] = held.count }
    }
    return counts.values.reduce(0, +) >= encoded
  }

  /// Returns the entry to refuse, so that the blocked one continues: the latest that holds other bytes.
  private func victim(_ state: State) -> Int? {
    guard let blocked = state.blocked else { return nil }
    let own = state.waiters[blocked.id]?.claim.held?.holder
    return state.waiters.lazy.filter { $0.value.claim.held.map { $0.holder != own } ?? false }.map(\.key)
      .max()
  }

  /// Refuses an entry that waits for memory: one that holds what others wait for, or the blocked one.
  private func resolveDeadlock() {
    let entry = state.withLock { state in
      state.blocked.map { (id: victim(state) ?? $0.id, waiting: state.queue.count - 1) }
    }
    if let entry { leave(entry.id, .refused(MemoryDeadlock(waiting: entry.waiting))) }
  }

  /// The number of concurrent turns; waiting entries begin at once when it is raised.
  var limit: Int {
    get { state.withLock { $0.limit } }
    set { change { $0.limit = max(1, newValue) } }
  }

  /// True to let entries wait, and none begin.
  var isSuspended: Bool {
    get { state.withLock { $0.isSuspended } }
    set {
      change { state in
        state.isSuspended = newValue
        // Other queues of the same memory continue.
        if newValue, state.blocked != nil { endShortage(&state) }
      }
      memory?.announceRoom()
    }
  }

  var statistics: Statistics {
    state.withLock { state in
      Statistics(
        running: state.running, waiting: state.queue.count, peakRunning: state.peakRunning,
        peakWaiting: state.peakWaiting, refused: state.refused)
    }
  }
}

/// The time limit for a turn has passed.
struct QueueTimeout: Error {}
