import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// The probes of a Redis server.
final class RedisProbes: Sendable {
  let client: RedisClient
  private let samples: Int
  /// The time after which a command fails in use.
  private let timeout: Duration
  private let elapsed: @Sendable () -> Duration
  private let clock: any Clock<Duration>
  private let mark = Hex.encode((0..<16).map { _ in UInt8.random(in: 0...255) })
  private let cacheKey: CacheKey

  private static let alone = "each node works for itself: equal requests are done more than once"

  init(_ client: RedisClient, samples: Int, timeout: Duration, clock: any Clock<Duration>) {
    self.client = client
    self.samples = max(1, samples)
    self.timeout = timeout
    self.clock = clock
    elapsed = clock.stopwatch
    cacheKey = CacheKey("calotype check \(mark)")
  }

  /// The names of keys: those of leases, as of a request, and two of others.
  private var leaseKeys: [String] { ["f", "w", "v"].map { client.name(of: cacheKey, $0) } }
  private var valueKey: String { client.name(of: cacheKey, "c") }
  private var numberKey: String { client.name("check-\(mark)") }

  // MARK: The server

  func connection(usesTLS: Bool) async -> TierFinding.Outcome {
    if await client.connected() {
      return .ok(usesTLS ? "RESP3 by TLS, the certificate is good" : "RESP3 without TLS")
    }
    let reason = client.statistics.lastFailure ?? "no answer"
    let effect =
      switch reason {
      case "refused: WRONGPASS", "refused: NOAUTH":
        "the password or the user is wrong, or there is none"
      case "refused: NOPROTO", "refused: ERR": "HELLO 3 is refused: Redis before version 6 has no RESP3"
      default: Self.alone
      }
    let isRefused = reason.hasPrefix("refused: ")
    return .failed(reason, effect, code: isRefused ? "redisRefused" : "redisUnreachable")
  }

  func authentication(hasPassword: Bool) async -> TierFinding.Outcome {
    var name = "the user"
    do throws(RedisError) {
      let reply = try await client.send(RESPCommand("ACL", "WHOAMI"))
      if let bytes = reply.bytes { name = "user \(Self.word(bytes))" }
    } catch {
      // Servers may have no users, or hide them.
      guard case .refused = error else { return .failed(error) }
    }
    if hasPassword { return .ok("\(name), with a password") }
    return .warning(
      "\(name), without a password", "everyone who reaches the server can read and change values")
  }

  func server() async -> TierFinding.Outcome {
    do throws(RedisError) {
      let reply = try await client.send(RESPCommand("HELLO", "3"))
      guard let server = RedisServerFacts(reply) else { return .failed(.unexpectedReply) }
      return server.outcome
    } catch {
      return .failed(error)
    }
  }

  func memory() async -> TierFinding.Outcome {
    do throws(RedisError) {
      let reply = try await client.send(RESPCommand("INFO", "memory"))
      guard let bytes = reply.bytes else { return .failed(.unexpectedReply) }
      return RedisMemory(info: bytes).outcome
    } catch {
      guard case .refused = error else { return .failed(error) }
      return .cannot(error.reason, "unknown; set maxmemory and maxmemory-policy allkeys-lru yourself")
    }
  }

  // MARK: Commands

  func values() async -> TierFinding.Outcome {
    let content = (0..<1_024).map { UInt8(truncatingIfNeeded: $0) }
    let effect = "small records are not kept in Redis"
    do throws(RedisError) {
      try await set(content)
      guard try await client.send(RESPCommand("GET", valueKey)).bytes == content else {
        return .failed("other bytes than were written", effect, code: "redisAnswer")
      }
      let deleted = try await client.send(RESPCommand("DEL", valueKey)).integer
      let left = try await client.send(RESPCommand("GET", valueKey))
      guard deleted == 1, left == .null else {
        return .failed("a value is not gone after DEL", effect, code: "redisAnswer")
      }
      return .ok("SET, GET and DEL of \(content.count) bytes")
    } catch {
      return .failed(error, effect)
    }
  }

  private func set(_ content: [UInt8]) async throws(RedisError) {
    let words = [Array("SET".utf8), Array(valueKey.utf8), content] + ["PX", "10000"].map { Array($0.utf8) }
    _ = try await client.send(RESPCommand(words))
  }

  /// A lease from its beginning to its end, by the scripts of the coordinator.
  func scripts() async -> TierFinding.Outcome {
    let texts = { (words: [String]) in words.map { Array($0.utf8) } }
    let (first, second, time) = (String(mark.prefix(16)), String(mark.suffix(16)), "10000")
    let (lease, keys) = (leaseKeys[0], leaseKeys)
    func answer(_ token: String, _ inbox: String) async throws(RedisError) -> FlightState.Answer {
      try RedisCoordinator.answer(
        try await client.run(
          FlightScripts.acquire, keys: keys, arguments: texts([token, time, inbox, "0", "0"])))
    }
    do throws(RedisError) {
      guard try await answer(first, "") == .lead(isHedge: false) else { return .failed(.unexpectedReply) }
      guard case .held = try await answer(second, client.name("in:check-\(mark)")) else {
        return .failed(.unexpectedReply)
      }
      let renewal = try await client.run(FlightScripts.renew, keys: [lease], arguments: texts([first, time]))
      let release = try await client.run(
        FlightScripts.release, keys: keys, arguments: texts([first, "o:0:v", time, "value", mark]))
      guard renewal.integer == 1, release.integer == 2 else { return .failed(.unexpectedReply) }
      guard try await answer(second, "") == .outcome(.value(Data("value".utf8))) else {
        return .failed(.unexpectedReply)
      }
      return .ok("a lease was taken, refused to another, renewed and ended")
    } catch {
      return .failed(error, Self.alone)
    }
  }

  func purgeNumbers() async -> TierFinding.Outcome {
    let effect = "the log of purges needs a bucket with conditional writes"
    do throws(RedisError) {
      for expected in [8, 9] as [Int64] {
        let reply = try await client.run(
          RedisPurgeChannel.count, keys: [numberKey], arguments: [Array("7".utf8)])
        guard reply.integer == expected else { return .failed(.unexpectedReply, effect) }
      }
      // The real one stays; this one does not, even if this program is killed now.
      _ = try await client.send(RESPCommand("PEXPIRE", numberKey, "10000"))
      return .ok("each is given once")
    } catch {
      return .failed(error, effect)
    }
  }

  func pushes() async -> TierFinding.Outcome {
    let channel = client.name("in:check-\(mark)")
    let effect = "nodes look at leases every 250 ms instead, and learn of purges by polling"
    let arrived = Waiter<Bool>()
    client.shared.subscribe(channel) { _ in arrived.resolve(true) }
    let (start, limit) = (elapsed(), Duration.seconds(2))
    do throws(RedisError) {
      while !arrived.isResolved, elapsed() - start < limit {
        _ = try await client.send(RESPCommand("PUBLISH", channel, mark))
        if arrived.isResolved { break }
        // The subscription may come later than the first message.
        guard (try? await clock.sleep(for: .milliseconds(20))) != nil else {
          return .failed(RedisError.cancelled)
        }
      }
    } catch {
      guard case .refused = error else { return .failed(error, effect) }
      return .cannot("PUBLISH is \(error.reason)", effect)
    }
    return arrived.isResolved
      ? .ok("a message arrived")
      : .cannot("no message arrived within \(limit.milliseconds) ms", effect)
  }

  // MARK: Latency

  func readLatency() async -> TierFinding.Outcome {
    do throws(RedisError) {
      try await set([UInt8](repeating: 1, count: 1_024))
    } catch {
      return .failed(error)
    }
    let key = valueKey
    return await latency(
      limit: .milliseconds(20), "reads of records give up after 20 ms and count as misses"
    ) { () async throws(RedisError) in _ = try await self.client.send(RESPCommand("GET", key)) }
  }

  func writeLatency() async -> TierFinding.Outcome {
    await latency(
      limit: timeout, "commands give up after \(timeout.milliseconds) ms, and \(Self.alone)"
    ) { () async throws(RedisError) in try await self.set([UInt8](repeating: 2, count: 1_024)) }
  }

  private func latency(
    limit: Duration, _ consequence: String, _ command: () async throws(RedisError) -> Void
  ) async -> TierFinding.Outcome {
    var sample = LatencySample()
    do throws(RedisError) {
      for _ in 0..<samples {
        let start = elapsed()
        try await command()
        sample.add(elapsed() - start)
      }
    } catch {
      return .failed(error)
    }
    return sample.outcome(limit: limit, consequence: consequence)
  }

  // MARK: The end

  /// Deletes all keys.
  func removeAll() async -> TierFinding.Outcome {
    do throws(RedisError) {
      for key in leaseKeys + [valueKey, numberKey] { _ = try await client.send(RESPCommand("DEL", key)) }
      return .ok("all keys removed")
    } catch {
      return .failed(error, "they end by themselves within a minute")
    }
  }

  /// A name that a server sent, as far as it is one.
  static func word(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.filter { (0x21...0x7E).contains($0) }.prefix(64), as: UTF8.self)
  }
}

extension TierFinding.Outcome {
  /// A failure of a command.
  static func failed(_ error: RedisError, _ consequence: String? = nil) -> Self {
    .failed(error.reason, consequence, code: error.code)
  }
}
