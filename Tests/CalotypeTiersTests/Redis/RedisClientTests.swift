import CalotypeCaching
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeTiers

/// The client, against a real server.
@Suite(.needsRedis) struct RedisClientTests {
  /// - Parameter timeout: Longer than usual, because other tests hold the machine up.
  static func configuration(
    _ port: Int, timeout: Duration = .seconds(20)
  ) -> RedisClient.Configuration {
    var configuration = RedisClient.Configuration(host: "127.0.0.1", port: port)
    configuration.timeout = timeout
    configuration.connectTimeout = .seconds(10)
    configuration.retryInterval = .milliseconds(50)
    return configuration
  }

  @Test func answers() async throws {
    let server = try RedisServer()
    let client = try RedisClient(Self.configuration(server.port))
    #expect(await client.connected())
    #expect(try await client.send(RESPCommand("PING")) == .string(Array("PONG".utf8)))
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    _ = try await client.send(RESPCommand([Array("SET".utf8), Array("k".utf8), bytes]))
    #expect(try await client.send(RESPCommand("GET", "k")).bytes == bytes)
    #expect(try await client.send(RESPCommand("GET", "none")) == .null)
    await #expect(throws: RedisError.refused(code: "ERR")) { try await client.send(RESPCommand("NONSENSE")) }
    await #expect(throws: RedisError.refused(code: "WRONGTYPE")) {
      try await client.send(RESPCommand("SADD", "k", "m"))
    }
  }

  @Test func manyCommandsShareTheConnection() async throws {
    let server = try RedisServer()
    let client = try RedisClient(Self.configuration(server.port))
    await client.connected()
    let replies = try await withThrowingTaskGroup { group in
      for number in 0..<2_000 {
        group.addTask {
          try await client.send(RESPCommand("ECHO", "\(number)"), timeout: .seconds(20)).bytes
            == Array("\(number)".utf8)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(replies.count == 2_000 && replies.allSatisfy { $0 })
    #expect(client.statistics.connections == 1)
  }

  @Test func messagesArriveAlsoAfterARestart() async throws {
    let server = try RedisServer()
    let client = try RedisClient(Self.configuration(server.port))
    let heard = Lock<[String]>([])
    client.shared.subscribe("c") { payload in
      heard.withLock { $0.append(String(decoding: payload, as: UTF8.self)) }
    }
    await client.connected()
    func publish(_ text: String) async throws {
      try await eventually {
        if heard.withLock({ $0.last }) == text { return true }
        _ = try? await client.send(RESPCommand("PUBLISH", "c", text))
        return false
      }
    }
    try await publish("one")
    // While connected, too.
    client.shared.subscribe("d") { _ in heard.withLock { $0.append("d") } }
    try await eventually {
      _ = try? await client.send(RESPCommand("PUBLISH", "d", ""))
      return heard.withLock { $0.contains("d") }
    }
    server.kill()
    try await eventually { !client.isConnected }
    await #expect(throws: RedisError.unavailable) { try await client.send(RESPCommand("PING")) }
    try server.start()
    try await eventually { client.isConnected }
    try await publish("two")
  }

  @Test func scriptsAreSentAgainAfterARestart() async throws {
    let server = try RedisServer()
    let client = try RedisClient(Self.configuration(server.port))
    await client.connected()
    let script = RedisScript("return tonumber(ARGV[1]) + 1")
    for round in 1...2 {
      #expect(try await client.run(script, keys: [], arguments: [Array("41".utf8)]) == .integer(42))
      #expect(try await client.run(script, keys: [], arguments: [Array("1".utf8)]) == .integer(2), "\(round)")
      server.kill()
      try server.start()
      try await eventually { client.statistics.connections > round && client.isConnected }
    }
    await #expect(throws: RedisError.refused(code: "ERR")) {
      try await client.run(RedisScript("return redis.call('NONSENSE')"), keys: [], arguments: [])
    }
  }

  /// Three timeouts, then nothing; and back soon after.
  @Test func aFrozenServerCostsThreeTimeouts() async throws {
    let server = try RedisServer()
    var configuration = Self.configuration(server.port, timeout: .milliseconds(100))
    configuration.connectTimeout = .milliseconds(500)
    configuration.pingInterval = .seconds(600)
    let client = try RedisClient(configuration)
    try await eventually { client.isConnected }
    server.freeze()
    defer { server.thaw() }
    let clock = ContinuousClock()
    for _ in 0..<3 {
      let time = await clock.measure {
        await #expect(throws: RedisError.timedOut) { try await client.send(RESPCommand("PING")) }
      }
      #expect(time >= .milliseconds(99))
    }
    try await eventually { !client.isConnected }
    await #expect(throws: RedisError.unavailable) { try await client.send(RESPCommand("PING")) }
    #expect(client.statistics.timeouts == 3)
    // The kernel still accepts connections, but nobody greets.
    try await eventually { client.statistics.failedConnections > 0 }
    server.thaw()
    try await eventually(within: .seconds(20)) { client.isConnected }
    #expect(try await client.send(RESPCommand("PING"), timeout: .seconds(5)).bytes == Array("PONG".utf8))
  }

  @Test func resetsAndSilenceAreSurvived() async throws {
    let server = try RedisServer()
    let wire = try FaultyWire(to: server.port)
    var configuration = Self.configuration(wire.port, timeout: .milliseconds(100))
    configuration.connectTimeout = .milliseconds(500)
    configuration.pingInterval = .milliseconds(200)
    let client = try RedisClient(configuration)
    try await eventually { client.isConnected }
    let connections = client.statistics.connections
    wire.reset()
    try await eventually { client.statistics.connections > connections && client.isConnected }
    // Nobody asks anything, and yet a half-open connection is noticed.
    wire.set(.silent)
    try await eventually { !client.isConnected }
    wire.set(.open)
    try await eventually { client.isConnected }
    wire.set(.garbage)
    _ = try? await client.send(RESPCommand("PING"))
    try await eventually { !client.isConnected }
    wire.set(.open)
    try await eventually { client.isConnected }
  }

  @Test func passwordsAndDatabases() async throws {
    let server = try RedisServer(["--requirepass", "s3cret-word"])
    let wrong = try RedisClient(
      RedisClient.Configuration(try #require(URL(string: "redis://:other@127.0.0.1:\(server.port)"))))
    #expect(await !wrong.connected())
    #expect(wrong.statistics.lastFailure == "refused: WRONGPASS")
    let without = try RedisClient(Self.configuration(server.port))
    #expect(await !without.connected())
    let url = try #require(URL(string: "redis://default:s3cret-word@127.0.0.1:\(server.port)/3"))
    let configuration = try RedisClient.Configuration(url)
    let client = try RedisClient(configuration)
    #expect(await client.connected())
    _ = try await client.send(RESPCommand("SET", "k", "v"))
    #expect(try await client.send(RESPCommand("DBSIZE")) == .integer(1))
    _ = try await client.send(RESPCommand("SELECT", "0"))
    #expect(try await client.send(RESPCommand("DBSIZE")) == .integer(0))
    var dumped = ""
    dump(configuration, to: &dumped)
    dump(client.statistics, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), dumped, "\(client)"] {
      #expect(!text.contains("s3cret") && !text.contains("default"))
    }
  }

  @Test(arguments: [
    "http://h", "redis:///1", "redis://h/x", "redis://h/-1", "redis://h/1/2", "h:6379",
  ])
  func otherURLsAreRefused(_ text: String) throws {
    let url = try #require(URL(string: text))
    #expect(throws: CachingError.self) { try RedisClient.Configuration(url) }
  }

  @Test func otherSettingsAreRefused() {
    for change in [
      { $0.namespace = "a b" }, { $0.namespace = "" }, { $0.host = "h/x" }, { $0.host = "a@b" },
      { $0.port = 0 },
    ] as [(inout RedisClient.Configuration) -> Void] {
      var configuration = RedisClient.Configuration(host: "127.0.0.1", port: 1)
      change(&configuration)
      #expect(throws: CachingError.self) { try RedisClient(configuration) }
    }
  }

  @Test func nobodyListens() async throws {
    let client = try RedisClient(Self.configuration(try LoopbackSocket.freePort()))
    #expect(await !client.connected())
    await #expect(throws: RedisError.unavailable) { try await client.send(RESPCommand("PING")) }
    client.close()
    #expect(await !client.connected())
  }

  @Test func theQueueIsBounded() async throws {
    let server = try RedisServer()
    var limits = RedisPipeline.Limits()
    limits.commands = 10
    let client = try RedisClient(
      Self.configuration(server.port, timeout: .milliseconds(100)), limits: limits)
    await client.connected()
    server.freeze()
    defer { server.thaw() }
    let errors = await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { () -> RedisError? in
          do throws(RedisError) { _ = try await client.send(RESPCommand("PING")) } catch { return error }
          return nil
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.count { $0 == .queueFull } >= 50)
    #expect(errors.allSatisfy { $0 != nil })
  }
}

/// TLS with a certificate of our own authority.
@Suite(.needsRedis) struct RedisTLSTests {
  @Test func certificatesAreChecked() async throws {
    let folder = try TemporaryFolder()
    func make(_ name: String) throws -> (certificate: String, key: String) {
      let paths = (folder.path("\(name).pem"), folder.path("\(name)-key.pem"))
      let status = shell(
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 "
          + "-keyout \(paths.1) -out \(paths.0) 2>/dev/null")
      try #require(status == 0)
      return paths
    }
    let good = try make("good")
    let other = try make("other")
    let port = try LoopbackSocket.freePort()
    let server = try RedisServer(
      [
        "--port", "0", "--tls-port", "\(port)", "--tls-cert-file", good.certificate, "--tls-key-file",
        good.key,
        "--tls-ca-cert-file", good.certificate, "--tls-auth-clients", "no",
      ], port: port)
    var configuration = try RedisClient.Configuration(
      try #require(URL(string: "rediss://127.0.0.1:\(server.port)")))
    configuration.connectTimeout = .seconds(20)
    configuration.caFile = other.certificate
    let wrong = try RedisClient(configuration)
    #expect(await !wrong.connected())
    configuration.caFile = good.certificate
    let client = try RedisClient(configuration)
    #expect(await client.connected())
    // More than one record of TLS, and more than one read.
    let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    _ = try await client.send(
      RESPCommand([Array("SET".utf8), Array("k".utf8), bytes]), timeout: .seconds(20))
    for _ in 0..<20 {
      #expect(try await client.send(RESPCommand("GET", "k"), timeout: .seconds(20)).bytes == bytes)
    }
  }
}
