public import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// Coordination of nodes by leases in Redis.
///
/// Redis is a hint: it may lose everything at any moment, at the price of work that is done twice. While it cannot be
/// reached, every call is `Flight.alone`, after at most three timeouts of the client.
///
/// ```swift
/// let log = PurgeLog(storage: storage, announcing: RedisPurgeChannel(redis))
/// let coordinator = RedisCoordinator(redis, position: { log.position })
/// ```
public final class RedisCoordinator: FlightCoordinating {
  let client: RedisClient
  let configuration: Configuration
  let book: FlightBook
  private let times: FlightState.Times
  private let position: @Sendable () -> Int
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let inbox: String

  /// Creates a coordinator.
  ///
  /// - Parameters:
  ///   - client: The client of a server that all nodes use.
  ///   - configuration: The settings; the same on all nodes.
  ///   - position: The position of the log of purges. Outcomes from before a purge are ignored after it.
  ///   - clock: The clock of waits and renewals.
  public init(
    _ client: RedisClient, configuration: Configuration = Configuration(),
    position: @escaping @Sendable () -> Int = { 0 }, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.client = client
    self.configuration = configuration
    self.position = position
    self.clock = clock
    elapsed = clock.stopwatch
    times = {
      var times = FlightState.Times()
      times.lease = max(.milliseconds(30), configuration.lease)
      times.poll = configuration.poll
      return times
    }()
    let book = FlightBook(
      FlightDurations(
        factor: configuration.hedgeFactor, floor: configuration.hedgeFloor ?? .zero, fallback: times.lease))
    self.book = book
    inbox = client.name("in:" + Self.randomHex())
    client.shared.subscribe(inbox) { book.wake($0) }
    let lease = times.lease
    client.shared.every(lease / 12) { [weak client, elapsed] in
      guard let client else { return }
      Self.renew(book, client, lease: lease, at: elapsed())
    }
  }

  /// The figures of the coordinator.
  public var statistics: Statistics {
    book.state.withLock { state in
      var statistics = state.statistics
      (statistics.held, statistics.waiting) = (state.leases.count, state.waiting)
      return statistics
    }
  }

  /// Joins the work for a key, or starts it. See `FlightCoordinating`.
  public func begin(_ key: CacheKey, waits: Bool, timeout: Duration?) async -> Flight {
    let isFull = book.state.withLock { $0.leases.count >= configuration.maxLeases }
    guard !isFull, client.isConnected else { return count(.alone) }
    let start = elapsed()
    var state = FlightState(waits: waits, deadline: timeout.map { start + $0 }, times: times)
    let call = Call(key: key, host: Self.host(of: key), position: position(), waits: waits)
    var action = FlightState.Action.acquire
    while true {
      let wait = waits ? book.wait(for: key, limit: configuration.maxWaits) : nil
      defer { if let wait { book.endWait(wait.id, for: key) } }
      guard wait != nil || !waits else { return count(.alone) }
      if action == .acquire {
        let answer = await acquire(call)
        action = state.handle(.answered(answer), at: elapsed(), spread: .random(in: 0...1))
      }
      switch action {
      case .end(.lead(let isHedge)): return lead(call, isHedge: isHedge)
      case .end(.outcome(let outcome)): return count(.outcome(outcome))
      case .end(.busy): return count(.busy)
      case .end(.alone): return count(.alone)
      case .acquire: break
      case .wait(let duration):
        book.state.withLock { $0.statistics.waits += 1 }
        let event = if let wait { await self.wait(wait.waiter, duration) } else { FlightState.Event.waited }
        action = state.handle(event, at: elapsed(), spread: .random(in: 0...1))
        if case .end = action { return count(.alone) }
      }
    }
  }

  /// One call of ``begin(_:waits:timeout:)``.
  private struct Call {
    var key: CacheKey
    var host: String
    var position: Int
    var waits: Bool
    var token = Array(RedisCoordinator.randomHex().utf8)
  }

  private func count(_ flight: Flight) -> Flight {
    book.state.withLock { state in
      switch flight {
      case .lead: break
      case .outcome: state.statistics.outcomes += 1
      case .busy: state.statistics.busy += 1
      case .alone: state.statistics.alone += 1
      }
    }
    return flight
  }

  // MARK: Waiting

  /// Waits for a message, the end of the time, or the cancellation of the task.
  private func wait(_ waiter: Waiter<FlightState.Event>, _ duration: Duration) async -> FlightState.Event {
    let timer = Task { [clock] in
      try? await clock.sleep(for: duration)
      waiter.resolve(.waited)
    }
    defer { timer.cancel() }
    return await waiter.value(onCancel: .cancelled)
  }

  // MARK: Scripts

  private func acquire(_ call: Call) async -> FlightState.Answer {
    let slow =
      configuration.hedgeFloor == nil || !call.waits
      ? 0 : Self.milliseconds(book.state.withLock { $0.durations.slowAge(host: call.host) })
    let arguments: [[UInt8]] = [
      call.token, Self.text(Self.milliseconds(times.lease)), call.waits ? Array(inbox.utf8) : [],
      Self.text(max(0, call.position)), Self.text(slow),
    ]
    do throws(RedisError) {
      let reply = try await client.run(FlightScripts.acquire, keys: keys(call.key), arguments: arguments)
      return try Self.answer(reply)
    } catch {
      // Redis may have given the lease although the answer is lost.
      if error != .unavailable, error != .queueFull { release(call.key, call.token, [], .zero, []) { _ in } }
      return .unavailable
    }
  }

  /// Reads the reply of the script.
  static func answer(_ reply: RESPValue) throws(RedisError) -> FlightState.Answer {
    guard let parts = reply.elements, parts.count >= 2, let kind = parts[0].integer else {
      throw .unexpectedReply
    }
    switch kind {
    case 0:
      guard let age = parts[1].integer, parts.count == 3, let left = parts[2].integer else {
        throw .unexpectedReply
      }
      return .held(age: .milliseconds(max(0, age)), left: .milliseconds(max(0, left)))
    case 1: return .lead(isHedge: parts[1].integer == 1)
    case 2:
      guard let code = parts[1].bytes,
        let outcome = FlightOutcome(wireCode: code, value: parts.count > 2 ? parts[2].bytes : nil)
      else { throw .unexpectedReply }
      return .outcome(outcome)
    default: throw .unexpectedReply
    }
  }

  private func lead(_ call: Call, isHedge: Bool) -> Flight {
    let now = elapsed()
    let lease = FlightBook.Lease(
      key: call.key, token: call.token, position: call.position, host: call.host, start: now,
      nextRenewal: now + times.lease / 3)
    return .lead(RedisLease(book.add(lease, isHedge: isHedge), self))
  }

  private static func renew(_ book: FlightBook, _ client: RedisClient, lease time: Duration, at now: Duration)
  {
    for (id, lease) in book.takeDue(at: now, interval: time / 3) {
      let arguments = [lease.token, text(milliseconds(time))]
      client.run(FlightScripts.renew, keys: [client.name(of: lease.key, "f")], arguments: arguments) {
        result in
        book.renewed(id, isHeld: (try? result.get())?.integer.map { $0 != 0 })
      }
    }
  }

  /// Ends a lease with an outcome.
  func end(_ id: Int, _ outcome: FlightOutcome) async {
    guard let lease = book.remove(id) else { return }
    let now = elapsed()
    book.state.withLock { $0.durations.note(now - lease.start, host: lease.host) }
    var outcome = outcome
    var value: [UInt8] = []
    if case .value(let data) = outcome {
      if data.count <= configuration.valueLimit, !data.isEmpty {
        value = Array(data)
      } else {
        outcome = .stored
      }
    }
    let code = "o:\(max(0, lease.position)):\(outcome.wireCode)"
    let done = Waiter<Void>()
    release(lease.key, lease.token, Array(code.utf8), lifetime(of: outcome), value) { _ in done.resolve(()) }
    await done.value(onCancel: ())
  }

  /// Gives a lease up without an outcome.
  func giveUp(_ id: Int) {
    guard let lease = book.remove(id) else { return }
    release(lease.key, lease.token, [], .zero, []) { _ in }
  }

  private func release(
    _ key: CacheKey, _ token: [UInt8], _ code: [UInt8], _ lifetime: Duration, _ value: [UInt8],
    _ completion: @escaping @Sendable (Result<RESPValue, RedisError>) -> Void
  ) {
    let time = Self.text(max(1, Self.milliseconds(lifetime)))
    let arguments = [token, code, time, value, Array(key.hexDigest.utf8)]
    client.run(FlightScripts.release, keys: keys(key), arguments: arguments, completion)
  }

  private func lifetime(of outcome: FlightOutcome) -> Duration {
    switch outcome {
    case .stored: configuration.storedLifetime
    case .value: configuration.valueLifetime
    case .absent: min(configuration.absenceLifetime, .seconds(30))
    case .isPrivate: configuration.privateLifetime
    case .failed: configuration.failureLifetime
    }
  }

  private func keys(_ key: CacheKey) -> [String] { ["f", "w", "v"].map { client.name(of: key, $0) } }

  // MARK: Texts

  private static func host(of key: CacheKey) -> String { WebOrigin(key.source)?.host ?? "" }

  private static func milliseconds(_ duration: Duration) -> Int {
    Int(duration.inMilliseconds.rounded(.up))
  }

  private static func text(_ number: Int) -> [UInt8] { Array(String(number).utf8) }

  /// 128 random bits.
  private static func randomHex() -> String {
    Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
  }
}
