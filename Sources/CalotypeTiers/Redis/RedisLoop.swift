import CalotypeSupport
import Glibc

/// The thread of a ``RedisClient``: connects, sends, receives, and calls timers.
final class RedisLoop {
  private let shared: RedisShared
  private var breaker: RedisBreaker
  private var pipeline = RedisPipeline()
  private var completions: [Int: RedisShared.Completion] = [:]
  /// The commands whose timeouts do not count.
  private var brief: Set<Int> = []
  private var nextID = 0
  private var timersDue: [Duration] = []
  private var lastReply = Duration.zero
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  /// The most reads in a row before commands are sent again.
  private static let readsPerTurn = 16

  init(_ shared: RedisShared) {
    self.shared = shared
    breaker = RedisBreaker(coolDown: shared.configuration.retryInterval)
  }

  /// Runs until the client is closed.
  func run() {
    while !isClosed {
      if breaker.mayTry(at: shared.elapsed()) {
        connectAndServe()
      } else {
        sleep(until: breaker.openUntil)
        callTimers()
      }
    }
    giveUp("closed")
  }

  private var isClosed: Bool { shared.state.withLock { $0.isClosed } }

  private func connectAndServe() {
    pipeline = RedisPipeline(limits: shared.limits)
    do throws(RedisSocket.Failure) {
      let socket = try RedisSocket(shared.configuration)
      try greet(socket)
      lastReply = shared.elapsed()
      shared.attemptEnded(failure: nil)
      breaker.succeeded()
      giveUp(serve(socket))
    } catch {
      giveUp(error.reason)
      shared.attemptEnded(failure: error.reason)
    }
  }

  /// Fails everything that waits.
  private func giveUp(_ reason: String) {
    breaker.failed(at: shared.elapsed())
    let submissions = shared.disconnected(reason)
    let waiting = completions
    completions = [:]
    brief = []
    for completion in waiting.values { completion(.failure(.unavailable)) }
    for submission in submissions { submission.completion(.failure(.unavailable)) }
  }

  // MARK: Greeting

  /// Logs in, and subscribes again.
  private func greet(_ socket: RedisSocket) throws(RedisSocket.Failure) {
    let configuration = shared.configuration
    let deadline = shared.elapsed() + configuration.connectTimeout
    var hello = ["HELLO", "3"]
    if let password = configuration.password { hello += ["AUTH", configuration.user ?? "default", password] }
    var problem: String?
    var left = 0
    func expect(_ command: [String], isSubscription: Bool = false) {
      left += 1
      add(RESPCommand(command.map { Array($0.utf8) }), deadline: deadline, isSubscription: isSubscription) {
        left -= 1
        switch $0 {
        case .success(.error(let text)):
          if case .refused(let code) = RedisError(refusal: text) { problem = problem ?? "refused: \(code)" }
        case .success: break
        case .failure: problem = problem ?? "no greeting"
        }
      }
    }
    expect(hello)
    if configuration.database != 0 { expect(["SELECT", String(configuration.database)]) }
    let channels = shared.state.withLock { state in
      state.newChannels = []
      return state.handlers.keys.sorted()
    }
    for channel in channels { expect(["SUBSCRIBE", channel], isSubscription: true) }
    while left > 0, problem == nil {
      guard shared.elapsed() < deadline, !isClosed else { throw .init(reason: "no greeting in time") }
      guard transfer(socket) else { throw .init(reason: "closed during the greeting") }
      if left > 0, problem == nil { wait(for: socket, until: deadline) }
    }
    if let problem { throw .init(reason: problem) }
  }

  // MARK: Serving

  /// Sends and receives until the connection is of no use. Returns why.
  private func serve(_ socket: RedisSocket) -> String {
    while true {
      let (submissions, channels, isClosed) = shared.take(sleeps: false)
      if isClosed { return "closed" }
      for submission in submissions { add(submission) }
      for channel in channels {
        let deadline = shared.elapsed() + shared.configuration.timeout
        add(RESPCommand("SUBSCRIBE", channel), deadline: deadline, isSubscription: true) { _ in }
      }
      callTimers()
      ping()
      guard transfer(socket) else { return "connection lost" }
      guard expire() else { return "no replies in time" }
      let idle = shared.state.withLock { state in
        state.mustRing = state.submissions.isEmpty && state.newChannels.isEmpty && !state.isClosed
        return state.mustRing
      }
      if idle { wait(for: socket, until: nil) }
    }
  }

  private func add(_ submission: RedisShared.Submission) {
    nextID += 1
    guard pipeline.add(id: nextID, submission.bytes, deadline: submission.deadline) else {
      return submission.completion(.failure(.queueFull))
    }
    completions[nextID] = submission.completion
    if submission.isBrief { brief.insert(nextID) }
  }

  private func add(
    _ command: RESPCommand, deadline: Duration, isSubscription: Bool = false,
    _ completion: @escaping (Result<RESPValue, RedisError>) -> Void
  ) {
    nextID += 1
    guard pipeline.add(id: nextID, command.encoded, deadline: deadline, isSubscription: isSubscription) else {
      return
    }
    // Called by this thread only.
    nonisolated(unsafe) let completion = completion
    completions[nextID] = { completion($0) }
  }

  /// Asks a silent server whether it is there.
  private func ping() {
    let now = shared.elapsed()
    guard now - lastReply >= shared.configuration.pingInterval else { return }
    lastReply = now
    add(RESPCommand("PING"), deadline: now + shared.configuration.timeout) { _ in }
  }

  /// Sends and receives as much as goes without waiting.
  ///
  /// - Returns: Whether the connection is still of use.
  private func transfer(_ socket: RedisSocket) -> Bool {
    while !pipeline.outgoing.isEmpty {
      let result = pipeline.outgoing.withUnsafeBytes { socket.send($0) }
      switch result {
      case .bytes(let count): pipeline.sent(count)
      case .closed: return false
      case .again: break
      }
      if case .bytes = result { continue }
      break
    }
    for _ in 0..<Self.readsPerTurn {
      switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
      case .bytes(let count):
        guard let events = try? pipeline.receive(buffer[..<count]) else { return false }
        for event in events { handle(event) }
        // Less than fits: nothing is left, in all likelihood. TLS may hold another record.
        if count < buffer.count, !shared.configuration.usesTLS { return true }
      case .again: return true
      case .closed: return false
      }
    }
    return true
  }

  private func handle(_ event: RedisPipeline.Event) {
    switch event {
    case .reply(let id, let value):
      lastReply = shared.elapsed()
      breaker.succeeded()
      brief.remove(id)
      completions.removeValue(forKey: id)?(.success(value))
    case .lateReply: break
    case .message(let channel, let payload):
      let name = String(decoding: channel, as: UTF8.self)
      let handler = shared.state.withLock { state in
        state.statistics.messages += 1
        return state.handlers[name]
      }
      handler?(payload)
    }
  }

  /// Ends commands whose time is over.
  ///
  /// - Returns: Whether the connection is still of use.
  private func expire() -> Bool {
    let now = shared.elapsed()
    let expired = pipeline.expire(at: now)
    guard !expired.isEmpty else { return true }
    shared.state.withLock { $0.statistics.timeouts += expired.count }
    var isUseful = true
    for id in expired {
      completions.removeValue(forKey: id)?(.failure(.timedOut))
      let isBrief = brief.remove(id) != nil
      // Those that follow the last one count no more.
      if isUseful, !isBrief, breaker.timedOut(at: now) { isUseful = false }
    }
    return isUseful
  }

  // MARK: Time

  private func callTimers() {
    let timers = shared.state.withLock { $0.timers }
    let now = shared.elapsed()
    while timersDue.count < timers.count { timersDue.append(now + timers[timersDue.count].interval) }
    for (index, timer) in timers.enumerated() where timersDue[index] <= now {
      timersDue[index] = now + timer.interval
      timer.body()
    }
  }

  /// Sleeps until the socket can be read or written, the pipe rings, or something is due.
  private func wait(for socket: RedisSocket, until limit: Duration?) {
    var events = POLLIN
    if !pipeline.outgoing.isEmpty { events |= POLLOUT }
    let idle = lastReply + shared.configuration.pingInterval
    let end = ([limit, pipeline.nextDeadline, idle].compactMap { $0 } + timersDue).min()
    poll([pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)], until: end)
  }

  private func sleep(until end: Duration?) {
    poll([], until: (timersDue + [end].compactMap { $0 }).min())
  }

  private func poll(_ entries: [pollfd], until end: Duration?) {
    var entries = entries
    if let pipe = shared.pipe {
      entries.append(pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0))
    }
    let left = (end ?? .seconds(1)) - shared.elapsed()
    let milliseconds = Int32(min(1_000, max(0, left.inMilliseconds.rounded(.up))))
    guard Glibc.poll(&entries, nfds_t(entries.count), milliseconds) > 0, let last = entries.last,
      last.fd == shared.pipe?.descriptor, last.revents & Int16(POLLIN) != 0
    else { return }
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = read(last.fd, &bytes, bytes.count)
  }
}
