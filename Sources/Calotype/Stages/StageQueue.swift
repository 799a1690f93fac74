import CalotypeSupport

/// Lets work of one kind begin: so much at a time, of so many bytes together, the most urgent first.
///
/// Whoever waits moves in line when its priority changes, and leaves it when its task is cancelled. One that wants more
/// bytes than all may have together goes alone.
final class StageQueue: Sendable {
  /// What a queue has done.
  struct Statistics: Hashable, Sendable {
    var running = 0
    var waiting = 0
    var bytes = 0
    var peakRunning = 0
    var peakBytes = 0
  }

  private struct Waiter {
    let bytes: Int
    /// Resumed with whether its turn has come.
    let continuation: CheckedContinuation<Bool, any Error>
  }

  /// A place in line, to be given up when somebody else has done the work.
  final class Ticket: Sendable {
    fileprivate enum State {
      case new
      case waiting(StageQueue, Int)
      case withdrawn
    }

    fileprivate let state = Lock(State.new)

    /// Ends the waiting, now or as soon as it begins.
    func withdraw() {
      let before = state.withLock { state in
        defer { state = .withdrawn }
        return state
      }
      if case .waiting(let queue, let id) = before { queue.withdraw(id) }
    }
  }

  private struct State {
    var limit: Int
    var byteLimit: Int
    var isSuspended = false
    var nextID = 0
    /// Those who want to begin.
    var line = PriorityLine<Int>()
    /// Those who go on with what they have bytes for. They wait for a turn alone: those before them may wait for theirs.
    var continuing = PriorityLine<Int>()
    var waiters: [Int: Waiter] = [:]
    var statistics = Statistics()

    /// Whoever may have a turn now.
    mutating func admit() -> [Waiter] {
      var admitted: [Waiter] = []
      while !isSuspended, statistics.running < limit, let id = next(), let waiter = waiters[id] {
        remove(id)
        statistics.running += 1
        statistics.bytes += waiter.bytes
        statistics.peakRunning = max(statistics.peakRunning, statistics.running)
        statistics.peakBytes = max(statistics.peakBytes, statistics.bytes)
        admitted.append(waiter)
      }
      statistics.waiting = waiters.count
      return admitted
    }

    private mutating func next() -> Int? {
      let old = continuing.first()
      guard let new = line.first(), let waiter = waiters[new] else { return old }
      // One that wants more than there is altogether goes alone.
      let fits = waiter.bytes <= byteLimit - statistics.bytes || (statistics.bytes == 0 && waiter.bytes > 0)
      guard fits else { return old }
      guard let old else { return new }
      return line.priority(of: new) > continuing.priority(of: old) ? new : old
    }

    mutating func remove(_ id: Int) {
      line.remove(id)
      continuing.remove(id)
      waiters[id] = nil
    }

    mutating func move(_ id: Int, to priority: UInt8) {
      line.move(id, to: priority)
      continuing.move(id, to: priority)
    }
  }

  private let state: Lock<State>

  /// - Parameters:
  ///   - limit: How many at a time.
  ///   - byteLimit: How many bytes together.
  init(limit: Int, byteLimit: Int = .max) {
    state = Lock(State(limit: max(1, limit), byteLimit: max(0, byteLimit)))
  }

  /// Runs `body` when its turn comes; its bytes are given back with it.
  ///
  /// - Parameters:
  ///   - priority: How urgent it is.
  ///   - bytes: What it takes.
  ///   - continues: Whether it goes on with something that has its bytes already.
  ///   - body: The work.
  /// - Throws: `CancellationError` when the task is cancelled before; what `body` throws.
  func run<Result: Sendable>(
    priority: LivePriority, bytes: Int = 0, continues: Bool = false, _ body: () async throws -> Result
  ) async throws -> Result {
    let allowance = try await enter(priority: priority, bytes: bytes, continues: continues)
    defer { allowance.giveBack() }
    defer { leave() }
    return try await body()
  }

  /// Waits for a turn, which has to be ended by ``leave()``. The bytes stay taken until the allowance is given back.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func enter(
    priority: LivePriority, bytes: Int = 0, continues: Bool = false
  ) async throws -> Allowance {
    // A ticket that nobody has is not withdrawn.
    let allowance = try await enter(
      priority: priority, bytes: bytes, continues: continues, ticket: Ticket())
    guard let allowance else {
      throw CancellationError()
    }
    return allowance
  }

  /// The same; `nil` if the ticket was withdrawn before the turn came.
  func enter(
    priority: LivePriority, bytes: Int, continues: Bool = false, ticket: Ticket
  ) async throws -> Allowance? {
    let bytes = max(0, bytes)
    let id = state.withLock { state -> Int in
      state.nextID += 1
      return state.nextID
    }
    let observation = priority.observe { [weak self] in
      self?.change { $0.move(id, to: priority.value.rawValue) }
    }
    defer { observation.cancel() }
    let hasTurn = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (admitted, isCancelled) = state.withLock { state -> ([Waiter], Bool) in
          // Asked under the lock: a cancellation before this point finds nobody to send away.
          if Task.isCancelled { return ([], true) }
          state.waiters[id] = Waiter(bytes: bytes, continuation: continuation)
          // Read under the lock: a change before this point finds nobody to move.
          let priority = priority.value.rawValue
          if continues {
            state.continuing.put(id, priority: priority)
          } else {
            state.line.put(id, priority: priority)
          }
          return (state.admit(), false)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
        let isWithdrawn = ticket.state.withLock { state in
          if case .withdrawn = state { return true }
          state = .waiting(self, id)
          return false
        }
        if isWithdrawn { withdraw(id) }
      }
    } onCancel: {
      remove(id)?.continuation.resume(throwing: CancellationError())
    }
    return hasTurn ? Allowance(queue: self, bytes: bytes) : nil
  }

  private func withdraw(_ id: Int) {
    remove(id)?.continuation.resume(returning: false)
  }

  /// Takes one who waits out of the line.
  private func remove(_ id: Int) -> Waiter? {
    let (waiter, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
      let waiter = state.waiters[id]
      state.remove(id)
      // It may have been the one that the others could not get past.
      return (waiter, state.admit())
    }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
    return waiter
  }

  /// The work that had a turn is done.
  func leave() {
    change { $0.statistics.running -= 1 }
  }

  /// Counts bytes that are there whether or not there is room for them; nobody begins until there is again.
  func take(bytes: Int) -> Allowance {
    change { state in
      state.statistics.bytes += max(0, bytes)
      state.statistics.peakBytes = max(state.statistics.peakBytes, state.statistics.bytes)
    }
    return Allowance(queue: self, bytes: max(0, bytes))
  }

  /// Takes bytes, if there is room for them: for work that has begun.
  func takeIfThereIsRoom(bytes: Int) -> Allowance? {
    let isTaken = state.withLock { state -> Bool in
      guard bytes <= state.byteLimit - state.statistics.bytes else { return false }
      state.statistics.bytes += max(0, bytes)
      state.statistics.peakBytes = max(state.statistics.peakBytes, state.statistics.bytes)
      return true
    }
    return isTaken ? Allowance(queue: self, bytes: max(0, bytes)) : nil
  }

  /// How many may run at a time; more begin at once when it is raised.
  var limit: Int {
    get { state.withLock { $0.limit } }
    set { change { $0.limit = max(1, newValue) } }
  }

  /// Lets nobody begin, or everybody again.
  var isSuspended: Bool {
    get { state.withLock { $0.isSuspended } }
    set { change { $0.isSuspended = newValue } }
  }

  var statistics: Statistics { state.withLock { $0.statistics } }

  private func change(_ body: (inout State) -> Void) {
    let admitted = state.withLock { state -> [Waiter] in
      body(&state)
      return state.admit()
    }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
  }

  /// Bytes that somebody has taken. They are given back when nobody holds this any more, if not before.
  final class Allowance: Sendable {
    private let queue: StageQueue
    private let bytes: Lock<Int>

    fileprivate init(queue: StageQueue, bytes: Int) {
      self.queue = queue
      self.bytes = Lock(bytes)
    }

    deinit { giveBack() }

    /// Gives all of them back. Harmless when repeated.
    func giveBack() {
      let count = bytes.withLock { bytes -> Int in
        defer { bytes = 0 }
        return bytes
      }
      if count > 0 { queue.change { $0.statistics.bytes -= count } }
    }
  }
}
