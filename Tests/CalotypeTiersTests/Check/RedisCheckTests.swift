import CalotypeSupport
import CalotypeTestKit
import Foundation
import Testing

@testable import CalotypeTiers

/// The probes of a Redis server, against a real one.
@Suite("Check of Redis", .needsRedis, .timeLimit(.minutes(5)))
struct RedisCheckTests {
  private func run(
    _ configuration: RedisClient.Configuration, probe: Duration = .seconds(20)
  ) async throws -> [String: TierFinding] {
    var limits = TierCheckLimits()
    (limits.probe, limits.total, limits.samples) = (probe, .seconds(300), 3)
    let found = Lock<[TierFinding]>([])
    try await RedisCheck(configuration, limits: limits).run { finding in found.withLock { $0.append(finding) }
    }
    let findings = found.withLock { $0 }
    #expect(!"\(findings)".contains("geheim"))
    return Dictionary(uniqueKeysWithValues: findings.map { ($0.probe, $0) })
  }

  private func url(_ server: RedisServer, _ user: String = "") throws -> RedisClient.Configuration {
    try RedisClient.Configuration(try #require(URL(string: "redis://\(user)127.0.0.1:\(server.port)")))
  }

  private func size(_ server: RedisServer, _ password: String? = nil) async throws -> Int64? {
    var configuration = RedisClientTests.configuration(server.port)
    configuration.setPassword(password)
    let client = try RedisClient(configuration)
    await client.connected()
    return try await client.send(RESPCommand("DBSIZE")).integer
  }

  @Test func aGoodServerPasses() async throws {
    let server = try RedisServer([
      "--requirepass", "geheim", "--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru",
    ])
    let findings = try await run(url(server, ":geheim@"))
    let probes = [
      "connection", "authentication", "server", "values", "scripts", "purgeNumbers", "pushes", "memory",
      "readLatency", "writeLatency", "cleanUp",
    ]
    #expect(findings.keys.sorted() == probes.sorted())
    // The machine may be slow.
    for finding in findings.values where !finding.probe.hasSuffix("Latency") {
      #expect(finding.verdict == .ok, "\(finding)")
    }
    #expect(findings["server"]?.detail.contains("standalone master") == true)
    #expect(findings["memory"]?.detail.hasSuffix("64 MiB, allkeys-lru") == true)
    #expect(try await size(server, "geheim") == 0)
  }

  @Test func passwordsAreTold() async throws {
    let server = try RedisServer(["--requirepass", "right"])
    for user in [":geheim@", ""] {
      let findings = try await run(url(server, user))
      #expect(findings.count == 1, "\(findings)")
      #expect(findings["connection"]?.verdict == .failed)
      #expect(findings["connection"]?.failure?.code == "redisRefused")
      #expect(findings["connection"]?.consequence?.contains("password") == true)
    }
    let open = try RedisServer()
    let findings = try await run(url(open))
    #expect(findings["authentication"]?.verdict == .warning && findings["memory"]?.verdict == .warning)
  }

  /// A user who may do nothing but a few commands.
  @Test func missingRightsAreTold() async throws {
    let server = try RedisServer([
      "--user", "node", "on", ">geheim", "~*", "&none", "+get", "+set", "+del", "+hello", "+publish",
      "+subscribe",
    ])
    let findings = try await run(url(server, "node:geheim@"))
    #expect(findings["values"]?.verdict == .ok)
    #expect(findings["scripts"]?.verdict == .failed && findings["purgeNumbers"]?.verdict == .failed)
    #expect(findings["scripts"]?.detail == "refused: the user has no right to it (NOPERM)")
    #expect(findings["pushes"]?.verdict == .cannot && findings["memory"]?.verdict == .cannot)
    #expect(findings["cleanUp"]?.verdict == .ok)
  }

  @Test func messagesThatDoNotArrive() async throws {
    let server = try RedisServer([
      "--user", "node", "on", ">geheim", "~*", "&*", "+@all", "-subscribe",
    ])
    let findings = try await run(url(server, "node:geheim@"))
    #expect(findings["pushes"]?.verdict == .cannot, "\(findings)")
    #expect(findings["scripts"]?.verdict == .ok)
  }

  @Test func serversThatDoNotAnswer() async throws {
    let server = try RedisServer()
    server.freeze()
    defer { server.thaw() }
    let frozen = try await run(url(server), probe: .seconds(1))
    #expect(frozen.keys.sorted() == ["connection"] && frozen["connection"]?.verdict == .failed)
    let nobody = try RedisClient.Configuration(
      try #require(URL(string: "valkey://127.0.0.1:\(LoopbackSocket.freePort())")))
    let refused = try await run(nobody)
    #expect(refused["connection"]?.failure?.code == "redisUnreachable")
  }

  @Test func limitsOfMemory() {
    func outcome(_ limit: String, _ policy: String) -> TierFinding.Outcome {
      RedisMemory(
        info: Array(
          "# Memory\r\nused_memory:1048577\r\nmaxmemory:\(limit)\r\nmaxmemory_policy:\(policy)\r\n".utf8)
      ).outcome
    }
    for policy in ["allkeys-lru", "allkeys-lfu", "volatile-lru", "volatile-lfu"] {
      #expect(outcome("10485760", policy) == .ok("2 MiB of 10 MiB, \(policy)"))
    }
    for policy in ["noeviction", "volatile-ttl", "allkeys-random", "volatile-random"] {
      #expect(outcome("10485760", policy).verdict == .warning, "\(policy)")
    }
    #expect(outcome("0", "allkeys-lru").verdict == .warning)
    for bad in ["-1", "many", "99999999999999999999999"] {
      #expect(outcome(bad, "allkeys-lru").verdict == .cannot)
    }
    #expect(RedisMemory(info: [UInt8](repeating: 0xFF, count: 1 << 20)).outcome.verdict == .cannot)
  }

  @Test func kindsOfServers() throws {
    func text(_ text: String) -> RESPValue { .string(Array(text.utf8)) }
    func facts(_ mode: String, _ role: String, proto: Int64 = 3) -> RedisServerFacts? {
      RedisServerFacts(
        .map([
          text("server"), text("valkey\u{1B}[2J"), text("version"), text("8.1"), text("proto"),
          .integer(proto), text("mode"), text(mode), text("role"), text(role), text("odd"),
        ]))
    }
    #expect(facts("standalone", "master")?.outcome == .ok("valkey[2J 8.1 standalone master"))
    #expect(facts("cluster", "master")?.outcome.verdict == .cannot)
    #expect(facts("sentinel", "master")?.outcome.verdict == .failed)
    #expect(facts("standalone", "replica")?.outcome.verdict == .failed)
    #expect(facts("standalone", "master", proto: 2) == nil && RedisServerFacts(.null) == nil)
    #expect(RedisServerFacts(.map([])) == nil)
  }
}
