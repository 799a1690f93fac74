import CalotypeSupport

/// The state that callers of a ``RedisClient`` and its thread share.
final class RedisShared: Sendable {
  typealias Completion = @Sendable (Result<RESPValue, RedisError>) -> Void

  /// A command on its way to the thread.
  struct Submission: Sendable {
    var bytes: [UInt8]
    var deadline: Duration
    /// Whether it has less than the time of all commands: a reply that misses it says nothing about the connection.
    var isBrief: Bool
    var completion: Completion
  }

  /// A function that the thread calls at intervals.
  struct Timer: Sendable {
    var interval: Duration
    var body: @Sendable () -> Void
  }

  struct State {
    var submissions: [Submission] = []
    var queuedBytes = 0
    var isClosed = false
    /// Whether the thread is about to sleep, and has to be woken.
    var mustRing = false
    var handlers: [String: @Sendable ([UInt8]) -> Void] = [:]
    /// Channels that were registered since the thread looked.
    var newChannels: [String] = []
    var timers: [Timer] = []
    var attempts: [Waiter<Bool>] = []
    var statistics = RedisClient.Statistics()
  }

  let configuration: RedisClient.Configuration
  let state = Lock(State())
  let pipe: WakePipe?
  /// The time since the client was created.
  let elapsed: @Sendable () -> Duration
  let limits: RedisPipeline.Limits

  init(_ configuration: RedisClient.Configuration, limits: RedisPipeline.Limits) {
    self.configuration = configuration
    self.limits = limits
    pipe = WakePipe()
    elapsed = ContinuousClock().stopwatch
  }

  /// Passes a command to the thread. The completion is called once, by the thread or, on a refusal, by the caller.
  func submit(_ command: RESPCommand, timeout: Duration?, _ completion: @escaping Completion) {
    let bytes = command.encoded
    let time = timeout ?? configuration.timeout
    let submission = Submission(
      bytes: bytes, deadline: elapsed() + time, isBrief: time < configuration.timeout, completion: completion)
    let (refusal, rings) = state.withLock { state -> (RedisError?, Bool) in
      guard state.statistics.isConnected, !state.isClosed else {
        state.statistics.rejected += 1
        return (.unavailable, false)
      }
      guard state.submissions.count < limits.commands, state.queuedBytes + bytes.count <= limits.bytes else {
        state.statistics.rejected += 1
        return (.queueFull, false)
      }
      state.submissions.append(submission)
      state.queuedBytes += bytes.count
      state.statistics.commands += 1
      defer { state.mustRing = false }
      return (nil, state.mustRing)
    }
    if let refusal { return completion(.failure(refusal)) }
    if rings { pipe?.ring() }
  }

  /// Takes the submitted commands.
  ///
  /// - Parameter sleeps: Whether the thread sleeps if there are none.
  func take(sleeps: Bool) -> (submissions: [Submission], newChannels: [String], isClosed: Bool) {
    state.withLock { state in
      let taken = (state.submissions, state.newChannels, state.isClosed)
      state.submissions = []
      state.newChannels = []
      state.queuedBytes = 0
      state.mustRing = sleeps && taken.0.isEmpty && taken.1.isEmpty && !taken.2
      return taken
    }
  }

  /// Registers a channel, now and after each reconnection.
  func subscribe(_ channel: String, _ handler: @escaping @Sendable ([UInt8]) -> Void) {
    state.withLock { state in
      if state.handlers.updateValue(handler, forKey: channel) == nil { state.newChannels.append(channel) }
      state.mustRing = false
    }
    pipe?.ring()
  }

  /// Registers a function that the thread calls at intervals, connected or not.
  func every(_ interval: Duration, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.timers.append(Timer(interval: interval, body: body)) }
    pipe?.ring()
  }

  /// An attempt to connect has ended.
  func attemptEnded(failure: String?) {
    let waiters = state.withLock { state -> [Waiter<Bool>] in
      if let failure {
        state.statistics.failedConnections += 1
        state.statistics.lastFailure = failure
      } else {
        state.statistics.connections += 1
        state.statistics.isConnected = true
      }
      defer { state.attempts = [] }
      return state.attempts
    }
    for waiter in waiters { waiter.resolve(failure == nil) }
  }

  /// The connection is lost. Returns what was submitted meanwhile.
  func disconnected(_ reason: String) -> [Submission] {
    state.withLock { state in
      state.statistics.isConnected = false
      state.statistics.lastFailure = reason
      defer {
        state.submissions = []
        state.queuedBytes = 0
      }
      return state.submissions
    }
  }

  func close() {
    let waiters = state.withLock { state -> [Waiter<Bool>] in
      state.isClosed = true
      defer { state.attempts = [] }
      return state.attempts
    }
    for waiter in waiters { waiter.resolve(false) }
    pipe?.ring()
  }
}
