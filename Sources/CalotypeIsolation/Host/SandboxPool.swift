import CSandbox
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials
import Glibc

/// The workers of one configuration: started by one thread, lent to the threads that decode.
final class SandboxPool: Sendable {
  /// The longest time that a job waits for a worker. Pipelines have deadlines of their own, which cancel it.
  static let longestWait = Duration.seconds(60)
  /// The time after which a job that got no worker may be tried again.
  static let pause = Duration.seconds(1)

  /// The state, which the starting thread keeps alive.
  fileprivate final class Core: Sendable {
    let configuration: SandboxConfiguration
    let state: Monitor<State>

    init(_ configuration: SandboxConfiguration) {
      self.configuration = configuration
      state = Monitor(
        State(isOne: configuration.reuse == .one, throttle: RestartThrottle(configuration.restart)))
    }
  }

  fileprivate struct State {
    /// Workers without a job, the last used one last.
    var idle: [SandboxProcess] = []
    /// The times since which the idle ones are idle.
    var idleSince: [Int: MonotonicTime] = [:]
    /// The process of each worker; 0 while it starts.
    var alive: [Int: Int32] = [:]
    /// The processor time of the workers that have ended.
    var pastTime = Duration.zero
    /// Threads that wait for any worker, and those that wait for a particular one.
    var waiting = 0, waitingForOne = 0
    /// Those among them that wait for a worker that has not served anybody.
    var waitingForFresh = 0
    /// A Boolean value that indicates whether each image has a worker of its own.
    let isOne: Bool
    /// Sessions that have ended while their worker was lent, by the number of the worker.
    var endedSessions: [Int: [UInt64]] = [:]
    /// Starts that have failed, one after the other.
    var failedStarts = 0
    /// The formats that were asked for, and whose libraries new workers open.
    var formats: Set<ImageFormat> = []
    var nextNumber = 0
    var throttle: RestartThrottle
    var quarantine = Quarantine()
    var statistics = SandboxStatistics()
    /// The reason why workers cannot be started, until a time, and whether they never can.
    var failure: (reason: String, end: MonotonicTime, isLasting: Bool)?
    var isStarted = false
    var isClosed = false
    var isWatched = false
  }

  /// A worker that was taken out of the idle ones.
  private enum Taken {
    case lent(SandboxProcess)
    /// It lacks a library or has served others, and is to end.
    case unsuited(SandboxProcess)
  }

  private let core: Core
  private var configuration: SandboxConfiguration { core.configuration }

  init(_ configuration: SandboxConfiguration) {
    core = Core(configuration)
  }

  deinit {
    let idle = core.state.withLock(waking: .all) { state -> [SandboxProcess] in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for worker in idle { worker.end(killing: true) }
  }

  /// The counters.
  var statistics: SandboxStatistics {
    core.state.withLock { state in
      var statistics = state.statistics
      statistics.workers = state.alive.count
      statistics.processorTime = state.alive.values.reduce(state.pastTime) {
        $0 + .nanoseconds($1 > 0 ? Int64(clamping: csandbox_processor_time($1)) : 0)
      }
      statistics.quarantined = state.quarantine.count
      statistics.unavailability = state.failure?.reason
      return statistics
    }
  }

  /// A Boolean value that indicates whether this machine has no sandbox: no worker has ever started, and the last attempt was
  /// moments ago.
  var isUnavailable: Bool {
    core.state.withLock { state in
      guard let failure = state.failure, state.statistics.starts == 0 else { return false }
      return state.failedStarts >= SandboxPool.Core.patience && failure.end > .now
    }
  }

  func count(_ change: (inout SandboxStatistics) -> Void) {
    core.state.withLock { change(&$0.statistics) }
  }

  /// Lends a worker. One that has not opened the library of the format makes room for another one, if need be.
  ///
  /// - Parameters:
  ///   - format: The format of the image, as far as it is known.
  ///   - isFresh: Whether it must not have served anybody.
  ///   - deadline: The end of the time.
  /// - Throws: `ImagingError.cancelled`, `ImagingError.sandboxUnavailable` if none can be started, or none
  ///   is free before the deadline.
  func take(
    for format: ImageFormat?, isFresh: Bool = false, until deadline: MonotonicTime
  ) throws(ImagingError) -> SandboxProcess {
    let format = format.flatMap { configuration.opensLibrary(of: $0) ? $0 : nil }
    // Not past those who wait.
    let ready = core.state.withLock { $0.waiting == 0 ? $0.takeLastIdle(for: format, isFresh) : nil }
    if let ready { return ready }
    let starts = core.state.withLock(waking: .all) { state -> Bool in
      state.waiting += 1
      state.waitingForFresh += isFresh ? 1 : 0
      if let format { state.formats.insert(format) }
      defer { state.isStarted = true }
      return !state.isStarted
    }
    defer {
      core.state.withLock { state in
        state.waiting -= 1
        state.waitingForFresh -= isFresh ? 1 : 0
      }
    }
    if starts { Threads.start(name: "calotype-sandbox") { [core] in core.startWorkers() } }
    let longestDelay = configuration.deadline, limit = configuration.workers
    while true {
      let now = MonotonicTime.now
      let end = min(deadline, now.advanced(by: .milliseconds(5)))
      let found = core.state.wait(until: end) { state -> Result<Taken, ImagingError>? in
        if let worker = state.takeLastIdle(for: format, isFresh) { return .success(.lent(worker)) }
        if state.alive.count >= limit, !state.isStarting,
          let worker = state.takeUnsuited(for: format, isFresh)
        {
          return .success(.unsuited(worker))
        }
        return state.refusal(until: now.advanced(by: longestDelay)).map { .failure($0) }
      }
      switch try found?.get() {
      case .lent(let worker): return worker
      case .unsuited(let worker):
        core.retire(worker)
        continue
      case nil: break
      }
      if Task.isCancelled { throw .cancelled }
      if MonotonicTime.now >= deadline {
        throw .sandboxUnavailable(reason: "no worker was free in time", retryAfter: Self.pause)
      }
    }
  }

  /// Lends a particular worker; `nil` if it has ended.
  func take(number: Int, until deadline: MonotonicTime) throws(ImagingError) -> SandboxProcess? {
    enum Found {
      case worker(SandboxProcess)
      case none
    }
    core.state.withLock { $0.waitingForOne += 1 }
    defer { core.state.withLock { $0.waitingForOne -= 1 } }
    while true {
      let end = min(deadline, MonotonicTime.now.advanced(by: .milliseconds(5)))
      let found = core.state.wait(until: end) { state -> Found? in
        if let index = state.idle.firstIndex(where: { $0.number == number }) {
          return .worker(state.takeIdle(at: index))
        }
        return state.alive[number] != nil && !state.isClosed ? nil : Found.none
      }
      switch found {
      case .worker(let worker): return worker
      case Found.none?: return nil
      case nil: break
      }
      if Task.isCancelled { throw .cancelled }
      if MonotonicTime.now >= deadline {
        throw .sandboxUnavailable(
          reason: "the worker of this image was not free in time", retryAfter: Self.pause)
      }
    }
  }

  /// Ends a session of a worker, at the latest before its next job. Does not wait.
  func endSession(_ session: UInt64, of number: Int) {
    core.state.withLock { state in
      guard state.alive[number] != nil else { return }
      state.endedSessions[number, default: []].append(session)
      if let worker = state.idle.first(where: { $0.number == number }) {
        state.closeEndedSessions(of: worker)
      }
    }
  }

  /// The idle workers that have sessions.
  var numbersWithSessions: [Int] {
    core.state.withLock { $0.idle.filter { !$0.sessions.isEmpty }.map(\.number) }
  }

  /// Lends a particular worker if it is idle.
  func takeIdle(number: Int) -> SandboxProcess? {
    core.state.withLock { state in
      state.idle.firstIndex { $0.number == number }.map { state.takeIdle(at: $0) }
    }
  }

  /// Takes back a worker, which ends if it has served long enough.
  func giveBack(_ worker: SandboxProcess) {
    let limit = if case .images(let count) = configuration.reuse { max(1, count) } else { 1 }
    func isSpent(_ worker: SandboxProcess) -> Bool { worker.served >= limit && worker.sessions.isEmpty }
    // No thread is woken in vain: the one that starts workers does not need this worker.
    func waking(_ state: borrowing State) -> Monitor<State>.Waking {
      !worker.isAlive || isSpent(worker) || state.waiting + state.waitingForOne > 0 ? .all : .nobody
    }
    let (isKept, mustBeWatched) = core.state.withLock(waking: waking) { state -> (Bool, Bool) in
      state.closeEndedSessions(of: worker)
      guard worker.isAlive, !isSpent(worker), !state.isClosed else {
        state.alive[worker.number] = nil
        return (false, false)
      }
      state.idle.append(worker)
      state.idleSince[worker.number] = .now
      defer { state.isWatched = true }
      return (true, !state.isWatched)
    }
    if !isKept { core.retire(worker) }
    if mustBeWatched { IdleReclaimer.shared.watch(core) }
  }

  /// Takes note of a worker that has died or was killed.
  func bury(_ worker: SandboxProcess, isDeath: Bool, _ change: (inout SandboxStatistics) -> Void) {
    core.state.withLock(waking: .all) { state in
      state.alive[worker.number] = nil
      state.endedSessions[worker.number] = nil
      if isDeath { state.throttle.noteDeath(at: .now) }
      state.pastTime += worker.processorTime
      change(&state.statistics)
    }
  }

  /// Refuses an input that has killed a worker.
  func checkQuarantine(_ data: Data) throws(ImagingError) {
    guard core.state.withLock({ $0.quarantine.concerns(byteCount: data.count) }) else { return }
    let digest = data.withUnsafeBytes { MessageDigest.sha256($0) }
    let error = core.state.withLock { state -> ImagingError? in
      let error = state.quarantine.error(for: digest, byteCount: data.count, now: .now)
      if error != nil { state.statistics.refusals += 1 }
      return error
    }
    if let error { throw error }
  }

  /// Refuses an input from now on.
  func quarantine(_ data: Data, because error: ImagingError) {
    let digest = data.withUnsafeBytes { MessageDigest.sha256($0) }
    core.state.withLock { $0.quarantine.add(digest, byteCount: data.count, error: error, now: .now) }
  }
}

extension SandboxPool.State {
  /// Returns true if a worker can do a job.
  private func suits(_ worker: SandboxProcess, _ format: ImageFormat?, _ isFresh: Bool) -> Bool {
    (format.map { worker.formats.contains($0) } ?? true) && (!isFresh || worker.served == 0)
      && (!isOne || worker.sessions.isEmpty)
  }

  fileprivate mutating func takeLastIdle(for format: ImageFormat?, _ isFresh: Bool) -> SandboxProcess? {
    idle.lastIndex { suits($0, format, isFresh) }.map { takeIdle(at: $0) }
  }

  /// Takes a worker out for good that cannot do a job; preferably one without sessions, which go on elsewhere.
  fileprivate mutating func takeUnsuited(for format: ImageFormat?, _ isFresh: Bool) -> SandboxProcess? {
    let unsuited = idle.indices.filter { !suits(idle[$0], format, isFresh) }
    guard let index = unsuited.min(by: { idle[$0].sessions.count < idle[$1].sessions.count }) else {
      return nil
    }
    alive[idle[index].number] = nil
    return takeIdle(at: index)
  }

  fileprivate var isStarting: Bool { alive.values.contains(0) }

  /// A Boolean value that indicates whether another worker would have a job.
  fileprivate var wantsWorker: Bool {
    let suited = idle.count { suits($0, nil, false) && $0.formats.isSuperset(of: formats) }
    return waiting > suited || waitingForFresh > 0 && !idle.contains { $0.served == 0 }
  }

  fileprivate mutating func takeIdle(at index: Int) -> SandboxProcess {
    idleSince[idle[index].number] = nil
    let worker = idle.remove(at: index)
    closeEndedSessions(of: worker)
    return worker
  }

  /// Notes the sessions that a worker is to close. The worker is idle, or belongs to the caller.
  fileprivate mutating func closeEndedSessions(of worker: SandboxProcess) {
    for session in endedSessions.removeValue(forKey: worker.number) ?? []
    where worker.sessions.removeValue(forKey: session) != nil {
      worker.endedSessions.append(session)
    }
  }

  /// Returns a time in whole seconds, rounded up, for errors that tell it.
  private static func wholeSeconds(from now: MonotonicTime, to end: MonotonicTime) -> Duration {
    .seconds((now.duration(to: end) / .seconds(1)).rounded(.up))
  }

  /// The error for a thread that would wait in vain.
  fileprivate mutating func refusal(until deadline: MonotonicTime) -> ImagingError? {
    if isClosed { return .sandboxUnavailable(reason: "it was shut down", retryAfter: nil) }
    // Those that are lent or start may become free.
    guard alive.count == idle.count else { return nil }
    let now = MonotonicTime.now
    if let failure, failedStarts >= SandboxPool.Core.patience, failure.end > now {
      return .sandboxUnavailable(
        reason: failure.reason,
        retryAfter: failure.isLasting ? nil : Self.wholeSeconds(from: now, to: failure.end))
    }
    let start = throttle.earliestStart(now: now)
    if start > deadline {
      return .sandboxUnavailable(
        reason: "workers have died too often; new ones start later",
        retryAfter: Self.wholeSeconds(from: now, to: start))
    }
    return nil
  }
}

extension SandboxPool.Core {
  /// Ends a worker that has done its work.
  fileprivate func retire(_ worker: SandboxProcess) {
    worker.end(killing: true)
    state.withLock(waking: .all) { $0.pastTime += worker.processorTime }
  }

  /// The number of failures to start after which waiting jobs fail.
  static let patience = 3

  /// The time for which a start is not tried again after so many failures.
  private static func pause(after failures: Int) -> Duration {
    failures < patience ? .milliseconds(50) : .seconds(5)
  }

  private enum Next {
    case start(Int, opening: Set<ImageFormat>)
    case pause(until: MonotonicTime)
    case end
  }

  /// Starts workers when they are needed. Workers end with the thread that has started them, so that none outlives this
  /// process, however it ends.
  fileprivate func startWorkers() {
    while let (number, formats) = next() {
      do throws(SandboxStartFailure) {
        let worker = try SandboxProcess(configuration, number: number, formats: formats)
        let isUsable = worker.posture.hasSeccomp || worker.posture.isSanitized
        guard isUsable else {
          worker.end(killing: true)
          throw SandboxStartFailure(
            reason: "the kernel has no filter of system calls (seccomp)", isLasting: true)
        }
        let isClosed = state.withLock(waking: .all) { state -> Bool in
          state.statistics.starts += 1
          state.alive[number] = worker.pid
          state.statistics.posture = worker.posture
          (state.failure, state.failedStarts) = (nil, 0)
          guard !state.isClosed else { return true }
          state.idle.append(worker)
          state.idleSince[number] = .now
          return false
        }
        if isClosed { worker.end(killing: true) }
        let mustBeWatched = state.withLock { state in
          defer { state.isWatched = true }
          return !state.isWatched
        }
        if mustBeWatched { IdleReclaimer.shared.watch(self) }
      } catch {
        state.withLock(waking: .all) { state in
          state.alive[number] = nil
          state.failedStarts += 1
          let end = MonotonicTime.now.advanced(by: Self.pause(after: state.failedStarts))
          state.failure = (error.reason, end, error.isLasting)
        }
      }
    }
  }

  /// Waits until a worker is needed and may start, and returns its number and the formats whose libraries it opens; `nil` at
  /// the end.
  private func next() -> (Int, Set<ImageFormat>)? {
    while true {
      let next = state.wait { state -> Next? in
        if state.isClosed { return .end }
        guard wants(state) else { return nil }
        let now = MonotonicTime.now
        let start = max(state.throttle.earliestStart(now: now), state.failure?.end ?? now)
        guard start <= now else { return .pause(until: start) }
        let number = state.nextNumber
        state.nextNumber += 1
        state.alive[number] = 0
        return .start(number, opening: state.formats)
      }
      switch next {
      case .start(let number, let formats): return (number, formats)
      case .end: return nil
      case .pause(let end): _ = state.wait(until: end) { $0.isClosed ? true : nil }
      }
    }
  }

  private func wants(_ state: SandboxPool.State) -> Bool {
    guard state.alive.count < configuration.workers else { return false }
    // Workers of a single image are started ahead, once there was an image.
    if configuration.reuse == .one { return state.statistics.starts > 0 || state.waiting > 0 }
    return state.wantsWorker
  }
}

extension SandboxPool.Core: IdleReclaiming {
  /// The time after which the memory that idle workers share is returned, and that after which they end.
  static let memoryTime = Duration.seconds(1), lifeTime = Duration.seconds(60)

  package func reclaimIdle() -> Bool {
    let now = MonotonicTime.now
    let (stale, spent) = state.withLock { state -> ([SandboxProcess], [SandboxProcess]) in
      func idleTime(_ worker: SandboxProcess) -> Duration {
        state.idleSince[worker.number]?.duration(to: now) ?? .zero
      }
      // Taken out, so that nobody uses them meanwhile. Sessions keep a worker.
      let spent = state.idle.filter { $0.sessions.isEmpty && idleTime($0) > Self.lifeTime }
      let stale = state.idle.filter { worker in
        worker.hasMemory && idleTime(worker) > Self.memoryTime && !spent.contains { $0 === worker }
      }
      let taken = Set((spent + stale).map(\.number))
      state.idle.removeAll { taken.contains($0.number) }
      for worker in spent { state.alive[worker.number] = nil }
      return (stale, spent)
    }
    for worker in spent { retire(worker) }
    for worker in stale { worker.releaseMemory() }
    return state.withLock(waking: .all) { state in
      state.idle.insert(contentsOf: stale, at: 0)
      state.isWatched = !state.alive.isEmpty
      return state.isWatched
    }
  }
}
