import CalotypeCaching
import CalotypeImaging
import CalotypeSupport

/// The queries of an ``ImageCache`` in progress: equal ones share one task, and few tasks run at a time.
final class ImageQueries: Sendable {
  typealias Outcome = Result<CachedImage?, any Error>
  typealias Work = @Sendable (Ticket) async throws -> CachedImage?

  /// Names the task of a query.
  struct Ticket: Sendable {
    fileprivate let number: Int
  }

  /// The counters: current values and totals.
  struct Statistics: Sendable {
    var running = 0
    var waiting = 0
    var peakRunning = 0
    var peakWaiting = 0
    var joined = 0
    var refused = 0
  }

  private struct Flight {
    let query: ImageQuery
    let work: Work
    /// `nil` if the image was being changed when the query began.
    let mark: Int?
    var waiters: [Int: Waiter<Outcome>]
    /// `nil` before its turn.
    var task: Task<Void, Never>?
  }

  private struct State {
    var nextNumber = 0
    var flights: [Int: Flight] = [:]
    /// The flights that equal queries may join.
    var joinable: [ImageQuery: Int] = [:]
    /// Flights that wait for their turn, in order, among others that were given up.
    var queue: [Int] = []
    var head = 0
    var fills = FillTable()
    var statistics = Statistics()

    mutating func number() -> Int {
      nextNumber += 1
      return nextNumber
    }

    func isCurrent(_ flight: Flight) -> Bool {
      guard let mark = flight.mark else { return false }
      return fills.isCurrent(flight.query.image, since: mark)
    }

    mutating func enter(limit: Int) throws(CachingError) {
      guard statistics.waiting < limit else {
        statistics.refused += 1
        throw .overloaded(waiting: statistics.waiting)
      }
      statistics.waiting += 1
      statistics.peakWaiting = max(statistics.peakWaiting, statistics.waiting)
    }

    /// Ends a flight, which no query joins any more.
    mutating func end(_ number: Int) -> Flight? {
      guard let flight = flights.removeValue(forKey: number) else { return nil }
      if joinable[flight.query] == number { joinable[flight.query] = nil }
      fills.endRead(flight.query.image)
      return flight
    }

    mutating func append(_ number: Int) {
      // Flights that were given up must not accumulate while others run for long.
      if queue.count >= 64, queue.count >= 2 * flights.count {
        queue = queue[head...].filter { flights[$0] != nil }
        head = 0
      }
      queue.append(number)
    }

    mutating func takeNext() -> Int? {
      while head < queue.count {
        defer { head += 1 }
        if flights[queue[head]] != nil { return queue[head] }
      }
      queue.removeAll(keepingCapacity: true)
      head = 0
      return nil
    }
  }

  private let state = Lock(State())
  private let limit: Int
  private let callerLimit: Int

  /// - Parameters:
  ///   - limit: The number of concurrent tasks.
  ///   - callerLimit: The number of waiting callers.
  init(limit: Int, callerLimit: Int) {
    self.limit = limit
    self.callerLimit = callerLimit
  }

  var statistics: Statistics { state.withLock { $0.statistics } }

  /// Returns the result of `work`, or of that of an equal query in progress.
  ///
  /// - Throws: `CachingError.overloaded`; `CachingError.cancelled` when the
  ///   task is cancelled, which ends the work if no other query waits for it; errors of `work`.
  func value(of query: ImageQuery, _ work: @escaping Work) async throws -> CachedImage? {
    if Task.isCancelled { throw CachingError.cancelled }
    let waiter = Waiter<Outcome>()
    let (flight, id) = try state.withLock { state throws(CachingError) -> (Int, Int) in
      try state.enter(limit: callerLimit)
      let id = state.number()
      if let number = state.joinable[query], let flight = state.flights[number], state.isCurrent(flight) {
        state.flights[number]?.waiters[id] = waiter
        state.statistics.joined += 1
        return (number, id)
      }
      let number = state.number()
      let mark = state.fills.beginRead(query.image)
      state.flights[number] = Flight(query: query, work: work, mark: mark, waiters: [id: waiter])
      state.joinable[query] = number
      state.append(number)
      return (number, id)
    }
    startSome()
    let outcome = await waiter.value(onCancel: .failure(CachingError.cancelled))
    leave(flight, id)
    return try outcome.get()
  }

  /// Puts the result of a query into memory by calling `fill`, unless the image was changed since the query began.
  func fill(_ ticket: Ticket, _ fill: () -> Void) {
    // Under the lock, so that a change that begins now comes after it.
    state.withLock { state in
      guard let flight = state.flights[ticket.number], state.isCurrent(flight) else { return }
      fill()
    }
  }

  /// Returns whether the image has not been changed since the query began.
  func isCurrent(_ ticket: Ticket) -> Bool {
    state.withLock { state in state.flights[ticket.number].map { state.isCurrent($0) } ?? false }
  }

  /// Runs a change. Queries that are in progress do not fill memory, and later ones do not join them.
  func changing<Value>(_ scope: FillTable.Scope, _ body: () async throws -> Value) async rethrows -> Value {
    state.withLock { $0.fills.beginChange(scope) }
    defer { state.withLock { $0.fills.endChange(scope) } }
    return try await body()
  }

  /// Runs a call that counts as waiting.
  ///
  /// - Throws: `CachingError.overloaded`; errors of `body`, those of cancellation as
  ///   `CachingError.cancelled`.
  func counting<Value>(_ body: () async throws -> Value) async throws -> Value {
    try state.withLock { state throws(CachingError) in try state.enter(limit: callerLimit) }
    defer { state.withLock { $0.statistics.waiting -= 1 } }
    do {
      return try await body()
    } catch {
      throw Self.withoutCancellation(error)
    }
  }

  private static func withoutCancellation(_ error: any Error) -> any Error {
    if error is CancellationError { return CachingError.cancelled }
    if case .cancelled? = error as? ImagingError { return CachingError.cancelled }
    return error
  }

  private func startSome() {
    state.withLock { state in
      while state.statistics.running < limit, let number = state.takeNext(),
        let work = state.flights[number]?.work
      {
        state.statistics.running += 1
        state.statistics.peakRunning = max(state.statistics.peakRunning, state.statistics.running)
        state.flights[number]?.task = Task {
          let outcome: Outcome
          do {
            outcome = .success(try await work(Ticket(number: number)))
          } catch {
            outcome = .failure(Self.withoutCancellation(error))
          }
          self.finish(number, outcome)
        }
      }
    }
  }

  private func finish(_ number: Int, _ outcome: Outcome) {
    let flight = state.withLock { state in
      state.statistics.running -= 1
      return state.end(number)
    }
    if let flight { for waiter in flight.waiters.values { waiter.resolve(outcome) } }
    startSome()
  }

  /// A caller has its outcome, or was cancelled. The last one ends the work.
  private func leave(_ number: Int, _ id: Int) {
    let task = state.withLock { state -> Task<Void, Never>? in
      state.statistics.waiting -= 1
      state.flights[number]?.waiters[id] = nil
      guard state.flights[number]?.waiters.isEmpty == true else { return nil }
      return state.end(number)?.task
    }
    task?.cancel()
  }
}
