import CalotypeSupport
import HeapModule

/// The waiting and running jobs of ``ReaderThreads``, with their deadlines.
///
/// A job that exceeds the timeout has stalled: its caller gets an error, and its thread is lost until the job returns.
/// When all threads are lost, waiting jobs are given up and new ones refused. After a cool-down, which doubles each
/// time, a reserve thread probes one job; there are as many reserve threads as regular ones.
final class ReaderQueue: Sendable {
  struct Job: Sendable {
    /// Higher priorities first.
    let priority: UInt8
    /// Does the work, and returns a closure that delivers the outcome to the caller.
    let run: @Sendable () -> @Sendable () -> Void
    /// Reports to the caller that the job will not run, or will not end in time.
    let giveUp: @Sendable () -> Void
  }

  private struct Ticket: Comparable, Sendable {
    let priority: UInt8
    let number: UInt64

    static func < (left: Ticket, right: Ticket) -> Bool {
      (right.priority, left.number) < (left.priority, right.number)
    }
  }

  private struct Running: Sendable {
    let job: Job
    /// When it counts as stalled; `nil` for never, or not set yet.
    var deadline: Duration?
    var isStalled = false
  }

  private struct State {
    var nextNumber: UInt64 = 0
    var waiting: [UInt64: Job] = [:]
    /// In the order of their turns. Tickets that are no longer in `waiting` are skipped.
    var tickets = Heap<Ticket>()
    var running: [UInt64: Running] = [:]
    var stalled = 0
    var threads = 0
    var idle = 0
    var isClosed = false
    var isWatched = false
    /// The number of reserve threads.
    var reserve = 0
    /// The job that probes the file system.
    var probe: UInt64?
    var retryAt = Duration.zero
    var coolDown = ReaderQueue.shortestCoolDown
  }

  static let shortestCoolDown = Duration.seconds(1)
  static let longestCoolDown = Duration.seconds(30)

  private let state = Monitor(State())
  private let name: String
  private let usualThreads: Int
  private let timeout: Duration?
  private let timer: CacheTimer

  init(name: String, threads: Int, timeout: Duration?, timer: CacheTimer) {
    self.name = name
    usualThreads = threads
    self.timeout = timeout
    self.timer = timer
  }

  /// Whether jobs are refused because all threads are stalled.
  var isOpen: Bool { state.withLock { isOpen($0) } }

  /// Jobs that wait for a thread.
  var count: Int { state.withLock { $0.waiting.count } }

  /// Whether no job runs.
  var isIdle: Bool { state.withLock { $0.running.isEmpty } }

  /// Stalled threads.
  var stalledCount: Int { state.withLock { $0.stalled } }

  private func isOpen(_ state: State) -> Bool {
    state.stalled >= usualThreads + state.reserve || state.probe != nil
  }

  /// Adds a job.
  ///
  /// - Returns: Its number; `nil` when it is refused.
  func push(_ job: Job) -> UInt64? {
    let time = timeout == nil ? .zero : timer.elapsed
    let (number, starts) = state.withLock(waking: .one) { state -> (UInt64?, Bool) in
      let number = state.nextNumber
      if isOpen(state) {
        guard state.probe == nil, time >= state.retryAt, state.reserve < usualThreads else {
          return (nil, false)
        }
        state.reserve += 1
        state.probe = number
      }
      state.nextNumber += 1
      state.waiting[number] = job
      state.tickets.insert(Ticket(priority: job.priority, number: number))
      // One thread per job, up to the limit.
      let starts = state.idle < state.waiting.count && state.threads < usualThreads + state.reserve
      if starts { state.threads += 1 }
      return (number, starts)
    }
    if starts { Threads.start(name: name) { self.work() } }
    return number
  }

  /// Withdraws a job that has not begun.
  func withdraw(_ number: UInt64) {
    let job = state.withLock { state -> Job? in
      if state.probe == number { Self.endProbe(&state) }
      return state.waiting.removeValue(forKey: number)
    }
    withExtendedLifetime(job) {}
  }

  /// Ends the threads when no job is left.
  func close() {
    state.withLock(waking: .all) { $0.isClosed = true }
  }

  // MARK: Threads

  private func work() {
    while let (number, job) = take() {
      if timeout != nil { watch(number) }
      let tell = job.run()
      // First, or the caller's next job could be refused because of this one.
      let goesOn = finish(number)
      tell()
      if !goesOn { return }
    }
  }

  private enum Next {
    case job(UInt64, Job)
    case end
  }

  private func take() -> (UInt64, Job)? {
    var isIdle = false
    let next = state.wait { state -> Next? in
      while let ticket = state.tickets.popMin() {
        guard let job = state.waiting.removeValue(forKey: ticket.number) else { continue }
        if isIdle { state.idle -= 1 }
        state.running[ticket.number] = Running(job: job)
        return .job(ticket.number, job)
      }
      if state.isClosed {
        state.threads -= 1
        return .end
      }
      if !isIdle {
        isIdle = true
        state.idle += 1
      }
      return nil
    }
    guard case .job(let number, let job) = next else { return nil }
    return (number, job)
  }

  /// - Returns: Whether the thread continues.
  private func finish(_ number: UInt64) -> Bool {
    let (running, goesOn) = state.withLock { state -> (Running?, Bool) in
      let running = state.running.removeValue(forKey: number)
      if state.probe == number { state.probe = nil }
      if running?.isStalled == true {
        state.stalled -= 1
        // A thread that returns replaces a reserve thread.
        state.reserve = max(0, state.reserve - 1)
      }
      if state.stalled == 0 { state.coolDown = Self.shortestCoolDown }
      guard state.threads > usualThreads + state.reserve else { return (running, true) }
      state.threads -= 1
      return (running, false)
    }
    withExtendedLifetime(running) {}
    return goesOn
  }

  // MARK: The watch

  /// Starts to watch a job that is about to run.
  private func watch(_ number: UInt64) {
    let deadline = timeout.map { timer.elapsed + $0 }
    let isWatched = state.withLock { state in
      state.running[number]?.deadline = deadline
      defer { state.isWatched = true }
      return state.isWatched
    }
    if !isWatched { Task.detached { await self.watch() } }
  }

  /// Watches the running jobs until there are none.
  private func watch() async {
    while let deadline = nextDeadline() {
      let pause = deadline - timer.elapsed
      if pause > .zero { try? await timer.sleep(for: pause) }
      giveUpStalled()
    }
  }

  /// The next deadline; `nil` when no job has one.
  private func nextDeadline() -> Duration? {
    state.withLock { state in
      let deadline = state.running.values.lazy.filter { !$0.isStalled }.compactMap(\.deadline).min()
      if deadline == nil { state.isWatched = false }
      return deadline
    }
  }

  private func giveUpStalled() {
    let time = timer.elapsed
    let jobs = state.withLock { state -> [Job] in
      var jobs: [Job] = []
      for (number, running) in state.running {
        guard !running.isStalled, let deadline = running.deadline, deadline <= time else { continue }
        state.running[number]?.isStalled = true
        state.stalled += 1
        if state.probe == number { state.probe = nil }
        jobs.append(running.job)
      }
      guard !jobs.isEmpty, state.stalled >= usualThreads + state.reserve else { return jobs }
      // No thread is left to run jobs.
      Self.endProbe(&state)
      jobs += state.waiting.values
      state.waiting = [:]
      state.tickets = Heap()
      state.retryAt = time + state.coolDown
      state.coolDown = min(state.coolDown * 2, Self.longestCoolDown)
      return jobs
    }
    for job in jobs { job.giveUp() }
  }

  /// Forgets a probe that has not begun, which says nothing about the file system.
  private static func endProbe(_ state: inout State) {
    guard let probe = state.probe, state.waiting[probe] != nil else { return }
    state.probe = nil
    state.reserve = max(0, state.reserve - 1)
  }
}
