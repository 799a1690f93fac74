import CalotypeCaching
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Leases in a real Redis, with shorter times.
@Suite(.needsRedis, .serialized) struct RedisCoordinatorTests {
  private let server: RedisServer
  private let key = CacheKey("k", source: "https://example.org/a.png")

  init() throws {
    server = try RedisServer()
  }

  /// Another node.
  private func node(
    position: Lock<Int> = Lock(0), port: Int? = nil, timeout: Duration = .seconds(20),
    _ change: (inout RedisCoordinator.Configuration) -> Void = { _ in }
  ) async throws -> (client: RedisClient, coordinator: RedisCoordinator) {
    let client = try RedisClient(
      RedisClientTests.configuration(port ?? server.port, timeout: timeout))
    var configuration = RedisCoordinator.Configuration()
    configuration.hedgeFloor = nil
    change(&configuration)
    let coordinator = RedisCoordinator(
      client, configuration: configuration, position: { position.withLock { $0 } })
    #expect(await client.connected())
    return (client, coordinator)
  }

  private func lease(_ flight: Flight, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> any FlightLease
  {
    guard case .lead(let lease) = flight else {
      Issue.record("no lead: \(flight)", sourceLocation: sourceLocation)
      throw RedisServer.StartFailure()
    }
    return lease
  }

  /// Lets a coordinator know that flights of the host take a millisecond.
  private func know(_ coordinator: RedisCoordinator) {
    coordinator.book.state.withLock { state in
      for _ in 0..<20 { state.durations.note(.milliseconds(1), host: "example.org") }
    }
  }

  private func outcome(_ flight: Flight) -> FlightOutcome? {
    if case .outcome(let outcome) = flight { outcome } else { nil }
  }

  @Test func oneOfThreeHundredLeads() async throws {
    var nodes: [(client: RedisClient, coordinator: RedisCoordinator)] = []
    for _ in 0..<3 {
      nodes.append(
        try await node {
          $0.poll = .seconds(20); $0.lease = .seconds(60)
        })
    }
    let value = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    let leads = Lock(0)
    let key = key
    let outcomes = await withTaskGroup { group in
      for number in 0..<300 {
        let coordinator = nodes[number % 3].coordinator
        let others = nodes.map(\.coordinator)
        group.addTask { () -> FlightOutcome? in
          switch await coordinator.begin(key, waits: true, timeout: .seconds(60)) {
          case .lead(let lease):
            leads.withLock { $0 += 1 }
            // All others wait.
            try? await eventually { others.reduce(0) { $0 + $1.statistics.waits } >= 299 }
            await lease.end(.value(value))
            return nil
          case .outcome(let outcome): return outcome
          case .busy, .alone: return .isPrivate
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(leads.withLock { $0 } == 1)
    #expect(outcomes.count { $0 == .value(value) } == 299)
    // By messages: the poll would have come much later.
    #expect(nodes.reduce(0) { $0 + $1.coordinator.statistics.wakes } == 299)
    #expect(
      nodes.allSatisfy { $0.coordinator.statistics.waiting == 0 && $0.coordinator.statistics.held == 0 })
  }

  @Test(arguments: [
    FlightOutcome.stored, .value(Data([1, 2, 3])), .absent(status: 404), .isPrivate,
    .failed(code: "timedOut"),
  ])
  func outcomesAreTold(_ told: FlightOutcome) async throws {
    let one = try await node {
      ($0.storedLifetime, $0.valueLifetime, $0.failureLifetime) = (.seconds(60), .seconds(60), .seconds(60))
    }
    let other = try await node()
    let lease = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    if case .busy = await other.coordinator.begin(key, waits: false, timeout: nil) {
    } else {
      Issue.record("not busy")
    }
    let key = key
    async let waiting = other.coordinator.begin(key, waits: true, timeout: .seconds(60))
    try await eventually {
      other.coordinator.statistics.waiting == 1 && other.coordinator.statistics.waits > 0
    }
    await lease.end(told)
    await lease.end(.stored)
    #expect(outcome(await waiting) == told)
    // Those who come a little later hear it as well.
    #expect(outcome(await one.coordinator.begin(key, waits: false, timeout: nil)) == told)
  }

  /// A node that has applied a purge since does not believe what was found before it.
  @Test func outcomesFromBeforeAPurgeAreIgnored() async throws {
    let position = Lock(3)
    let one = try await node(position: Lock(3))
    let other = try await node(position: position)
    try await lease(one.coordinator.begin(key, waits: true, timeout: nil)).end(.absent(status: 404))
    #expect(outcome(await other.coordinator.begin(key, waits: true, timeout: nil)) == .absent(status: 404))
    position.withLock { $0 = 4 }
    let again = try await lease(other.coordinator.begin(key, waits: true, timeout: nil))
    await again.end(.stored)
  }

  @Test func aDeadHolderIsNoticedWhenItsLeaseEnds() async throws {
    // Scaled: 3 s and 250 ms become 2 s and 150 ms.
    let wire = try FaultyWire(to: server.port)
    let holder = try await node(port: wire.port) { $0.lease = .seconds(2) }
    let other = try await node {
      $0.lease = .seconds(2); $0.poll = .milliseconds(150)
    }
    let lease = try lease(await holder.coordinator.begin(key, waits: true, timeout: nil))
    let key = key
    async let waiting = other.coordinator.begin(key, waits: true, timeout: .seconds(60))
    try await eventually { other.coordinator.statistics.waits > 0 }
    // It no longer renews.
    wire.set(.silent)
    let stopwatch = ContinuousClock().stopwatch
    try await self.lease(waiting).end(.stored)
    let time = stopwatch()
    #expect(time <= .seconds(10), "generous, for a busy machine; 2.2 s otherwise")
    withExtendedLifetime(lease) {}
  }

  @Test func leasesAreRenewed() async throws {
    let one = try await node { $0.lease = .seconds(1) }
    let other = try await node {
      $0.lease = .seconds(1); $0.poll = .milliseconds(20)
    }
    let lease = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    // Four leases long.
    let flight = await other.coordinator.begin(key, waits: true, timeout: .seconds(4))
    if case .alone = flight {} else { Issue.record("the lease ended: \(flight)") }
    #expect(other.coordinator.statistics.waits > 5)
    await lease.end(.stored)
    #expect(outcome(await other.coordinator.begin(key, waits: true, timeout: nil)) == .stored)
  }

  @Test func aForgottenLeaseIsGivenUp() async throws {
    let one = try await node { $0.lease = .seconds(60) }
    let other = try await node {
      $0.lease = .seconds(60); $0.poll = .seconds(60)
    }
    var lease: (any FlightLease)? = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    let key = key
    async let waiting = other.coordinator.begin(key, waits: true, timeout: .seconds(60))
    try await eventually { other.coordinator.statistics.waits > 0 }
    #expect(lease != nil)
    lease = nil
    try await self.lease(waiting).end(.stored)
    #expect(one.coordinator.statistics.held == 0)
  }

  /// The holder was suspended for longer than its lease: renewal and release answer 0.
  @Test func aLostLeaseDisturbsNobody() async throws {
    let one = try await node { $0.lease = .milliseconds(300) }
    let other = try await node()
    let first = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    _ = try await other.client.send(RESPCommand("DEL", one.client.name(of: key, "f")))
    let second = try lease(await other.coordinator.begin(key, waits: true, timeout: nil))
    try await eventually { one.coordinator.statistics.lost == 1 }
    await first.end(.failed(code: "late"))
    if case .busy = await one.coordinator.begin(key, waits: false, timeout: nil) {
    } else {
      Issue.record("not busy")
    }
    await second.end(.stored)
    #expect(outcome(await one.coordinator.begin(key, waits: true, timeout: nil)) == .stored)
  }

  @Test func aSlowHolderGetsASecond() async throws {
    let one = try await node()
    let hedging = { (configuration: inout RedisCoordinator.Configuration) in
      configuration.hedgeFloor = .milliseconds(100)
      configuration.hedgeFactor = 3
      configuration.poll = .milliseconds(20)
    }
    let two = try await node(hedging)
    let three = try await node(hedging)
    let slow = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    // The host is known to be fast.
    for node in [two, three] { know(node.coordinator) }
    let second = try lease(await two.coordinator.begin(key, waits: true, timeout: .seconds(60)))
    #expect(two.coordinator.statistics.hedges == 1)
    // Once a flight.
    let third = await three.coordinator.begin(key, waits: true, timeout: .milliseconds(700))
    if case .alone = third {} else { Issue.record("a third: \(third)") }
    await second.end(.value(Data([1])))
    #expect(outcome(await three.coordinator.begin(key, waits: true, timeout: nil)) == .value(Data([1])))
    await slow.end(.failed(code: "late"))
    #expect(outcome(await three.coordinator.begin(key, waits: true, timeout: nil)) == .value(Data([1])))
  }

  /// The hedge gives up: the first still leads.
  @Test func aHedgeThatGivesUpLeavesTheLease() async throws {
    let one = try await node()
    let two = try await node {
      $0.hedgeFloor = .milliseconds(1); $0.poll = .milliseconds(20)
    }
    know(two.coordinator)
    let first = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    do { _ = try lease(await two.coordinator.begin(key, waits: true, timeout: .seconds(60))) }
    try await eventually { two.coordinator.statistics.held == 0 }
    _ = try await two.client.send(RESPCommand("PING"))
    if case .busy = await two.coordinator.begin(key, waits: false, timeout: nil) {
    } else {
      Issue.record("not busy")
    }
    await first.end(.stored)
    #expect(outcome(await two.coordinator.begin(key, waits: true, timeout: nil)) == .stored)
  }

  @Test func withoutRedisEachIsAlone() async throws {
    let one = try await node()
    let lease = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    server.kill()
    try await eventually { !one.client.isConnected }
    let clock = ContinuousClock()
    let time = await clock.measure {
      await lease.end(.stored)
      for _ in 0..<100 {
        if case .alone = await one.coordinator.begin(key, waits: true, timeout: nil) {
        } else {
          Issue.record("not alone")
        }
      }
    }
    #expect(time < .seconds(1))
    // Empty, and without the scripts.
    try server.start()
    try await eventually { one.client.isConnected }
    try await self.lease(one.coordinator.begin(key, waits: true, timeout: nil)).end(.stored)
  }

  @Test func aFrozenRedisCostsATimeout() async throws {
    let one = try await node(timeout: .milliseconds(100))
    server.freeze()
    defer { server.thaw() }
    for number in 0..<10 {
      if case .alone = await one.coordinator.begin(CacheKey("k\(number)"), waits: true, timeout: nil) {
      } else {
        Issue.record("not alone")
      }
    }
    #expect(one.client.statistics.timeouts <= 6)
    server.thaw()
    try await eventually { one.client.isConnected }
    // The leases that Redis gave while nobody listened are given back or end.
    try await eventually {
      guard case .lead(let lease) = await one.coordinator.begin(CacheKey("k0"), waits: false, timeout: nil)
      else {
        return false
      }
      await lease.end(.stored)
      return true
    }
  }

  @Test func waitsEndWithTheTask() async throws {
    let one = try await node()
    let lease = try lease(await one.coordinator.begin(key, waits: true, timeout: nil))
    let key = key
    let task = Task { await one.coordinator.begin(key, waits: true, timeout: nil) }
    try await eventually { one.coordinator.statistics.waits > 0 }
    task.cancel()
    if case .alone = await task.value {} else { Issue.record("not alone") }
    #expect(one.coordinator.statistics.waiting == 0)
    await lease.end(.stored)
  }

  @Test func isBounded() async throws {
    let one = try await node {
      $0.maxLeases = 2; $0.maxWaits = 1; $0.valueLimit = 10
    }
    let first = try lease(await one.coordinator.begin(CacheKey("a"), waits: true, timeout: nil))
    let key = CacheKey("a")
    let task = Task { await one.coordinator.begin(key, waits: true, timeout: nil) }
    try await eventually { one.coordinator.statistics.waits > 0 }
    if case .alone = await one.coordinator.begin(key, waits: true, timeout: nil) {
    } else {
      Issue.record("waits")
    }
    let second = try lease(await one.coordinator.begin(CacheKey("b"), waits: false, timeout: nil))
    if case .alone = await one.coordinator.begin(CacheKey("c"), waits: false, timeout: nil) {
    } else {
      Issue.record("leads")
    }
    // Too large to be passed on.
    await first.end(.value(Data(count: 11)))
    #expect(outcome(await task.value) == .stored)
    await second.end(.stored)
  }
}

/// Small records in Redis, and purges by it.
@Suite(.needsRedis) struct RedisTiersTests {
  private let key = CacheKey("k")

  @Test func recordsReadBack() async throws {
    let server = try RedisServer()
    let client = try RedisClient(RedisClientTests.configuration(server.port))
    await client.connected()
    let time = ManualTime()
    var configuration = RedisCache.Configuration()
    configuration.readTimeout = .seconds(5)
    let cache = RedisCache(client, configuration: configuration, now: { time.date })
    #expect(try await cache.read(key) == nil)
    let metadata = RecordMetadata(
      contentType: "image/png", expires: time.date.addingTimeInterval(60), position: 4)
    try await cache.store(Data([1, 2, 3]), metadata: metadata, for: key)
    let record = try await cache.read(key)
    #expect(record?.data == Data([1, 2, 3]))
    #expect(record?.metadata == metadata)
    let left = try await client.send(RESPCommand("PTTL", client.name(of: key, "c"))).integer ?? 0
    #expect((1...60_000).contains(left))
    time.advance(by: .seconds(60))
    #expect(try await cache.read(key) == nil)
    #expect(try await cache.remove(key))
    #expect(try await !cache.remove(key))
    // An expired record is not worth a command.
    try await cache.store(Data([1]), metadata: metadata, for: key)
    #expect(try await client.send(RESPCommand("EXISTS", client.name(of: key, "c"))) == .integer(0))
    await #expect(throws: CachingError.self) {
      try await cache.store(Data(count: 65 << 10), metadata: .init(), for: key)
    }
    // What is no record reads as nothing.
    for text in ["", "CALOTYPE", String(repeating: "x", count: 200)] {
      _ = try await client.send(RESPCommand("SET", client.name(of: key, "c"), text))
      #expect(try await cache.read(key) == nil)
    }
    server.kill()
    try await eventually { !client.isConnected }
    #expect(try await cache.read(key) == nil)
    try await cache.store(Data([1]), metadata: .init(), for: key)
  }

  @Test func recordsAreStoredLater() async throws {
    let server = try RedisServer()
    let client = try RedisClient(RedisClientTests.configuration(server.port))
    await client.connected()
    var configuration = RedisCache.Configuration()
    configuration.readTimeout = .seconds(5)
    let cache = RedisCache(client, configuration: configuration)
    cache.storeLater(Data([1, 2, 3]), metadata: .init(position: 4), for: key)
    // In order, on the same connection.
    #expect(try await cache.read(key)?.metadata.position == 4)
    try await eventually { cache.statistics.stored == 1 }
    cache.storeLater(Data(count: 65 << 10), metadata: .init(), for: CacheKey("large"))
    let now = Date()
    let secret = try #require(
      StoredResponse(
        status: 200, fields: [.cacheControl: "private"], request: [:], requestTime: now, responseTime: now))
    cache.storeLater(Data([1]), metadata: .init(response: secret), for: CacheKey("private"))
    try await cache.store(Data([1]), metadata: .init(response: secret), for: CacheKey("private"))
    #expect(try await cache.read(CacheKey("private")) == nil)
    server.kill()
    try await eventually { !client.isConnected }
    cache.storeLater(Data([1]), metadata: .init(), for: key)
    #expect(try await cache.read(key) == nil)
    let statistics = cache.statistics
    #expect(statistics.hits == 1 && statistics.misses == 1 && statistics.skippedReads == 1)
    #expect(statistics.bytesRead == statistics.bytesWritten && statistics.bytesRead > 3)
    #expect(statistics.unshared == 3 && statistics.dropped == 1 && statistics.failedWrites == 0)
  }

  /// Reads have less time than other commands: those that miss it do not end the connection.
  @Test func readsThatAreLateCostNoConnection() async throws {
    let server = try RedisServer()
    let client = try RedisClient(RedisClientTests.configuration(server.port))
    await client.connected()
    let cache = RedisCache(client)
    server.freeze()
    for _ in 0..<5 { #expect(try await cache.read(key) == nil) }
    #expect(cache.statistics.failedReads == 5 && client.isConnected)
    server.thaw()
    #expect(try await client.send(RESPCommand("PING")) == .string(Array("PONG".utf8)))
    #expect(client.statistics.connections == 1)
  }

  @Test func purgesAreAnnouncedAndNumbered() async throws {
    let server = try RedisServer()
    let store = FakePurgeStore()
    store.state.withLock { $0.isConditional = false }
    var logs: [(log: PurgeLog, task: Task<Void, Never>)] = []
    for _ in 0..<2 {
      let client = try RedisClient(RedisClientTests.configuration(server.port))
      let log = PurgeLog(storage: store, announcing: RedisPurgeChannel(client))
      await client.connected()
      try await log.start()
      logs.append((log, Task { await log.run() }))
    }
    defer { for entry in logs { entry.task.cancel() } }
    // The first polls are over.
    let (one, other) = (logs[0].log, logs[1].log)
    try await eventually { one.statistics.polls >= 2 && other.statistics.polls >= 2 }
    let purge = SharedPurge(.selection(.tag("t")), mode: .gone)
    #expect(try await logs[0].log.append(purge) == 1)
    try await eventually { logs[1].log.position == 1 }
    // An announcement is a hint; the entry is that of the storage.
    #expect(store.state.withLock { $0.reads } == 1)
    #expect(logs[1].log.verdict(source: "", tags: ["t"], at: 0) == .gone)
    // Redis forgets its number; the log does not.
    let client = try RedisClient(RedisClientTests.configuration(server.port))
    await client.connected()
    _ = try await client.send(RESPCommand("FLUSHALL"))
    #expect(try await logs[1].log.append(purge) == 2)
  }

  @Test(arguments: ["", " ", "x", "1 {}", "0", "9223372036854775807", "99999999999999999999", "-1", "+1"])
  func otherMessagesAreDropped(_ text: String) {
    #expect(RedisPurgeChannel.parse(Array(text.utf8)) == nil)
    #expect(RedisPurgeChannel.parse(Array("12".utf8)) == 12)
  }
}
