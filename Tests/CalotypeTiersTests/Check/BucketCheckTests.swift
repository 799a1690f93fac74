import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// The probes of a bucket, against a server that verifies signatures by the book.
@Suite("Check of a bucket", .timeLimit(.minutes(5)))
struct BucketCheckTests {
  let time = ManualTime()
  let server: ScriptedBucket

  init() throws {
    let time = time
    server = try ScriptedBucket(now: { time.date })
    server["calotype/v1/o/other"] = Data("other".utf8)
  }

  private static func limits(_ probe: Duration = .seconds(60)) -> TierCheckLimits {
    var limits = TierCheckLimits()
    (limits.probe, limits.total, limits.samples) = (probe, .seconds(600), 3)
    return limits
  }

  private func check(
    secret: String? = nil, limits: TierCheckLimits = limits(), credentials: BucketCredentials? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) throws -> BucketCheck {
    let keys = try BucketKeys(accessKey: server.accessKey, secretKey: secret ?? server.secretKey)
    var connections = CurlLoader.Configuration()
    connections.proxy = .none
    let time = time
    return BucketCheck(
      try Bucket(endpoint: server.endpoint, region: server.region, name: server.name),
      credentials: credentials ?? .keys(keys), connections: connections, limits: limits,
      now: { time.date }, clock: clock)
  }

  /// Runs all probes. The bucket is then as it was.
  private func run(_ check: BucketCheck) async throws -> [String: TierFinding] {
    let found = Lock<[TierFinding]>([])
    await check.run { finding in found.withLock { $0.append(finding) } }
    #expect(server.objects.keys.sorted() == ["calotype/v1/o/other"])
    let findings = found.withLock { $0 }
    #expect(!"\(findings)".contains(server.secretKey))
    #expect(Set(findings.map(\.probe)).count == findings.count)
    return Dictionary(uniqueKeysWithValues: findings.map { ($0.probe, $0) })
  }

  @Test func aGoodServerPasses() async throws {
    let findings = try await run(check())
    let probes = [
      "credentials", "signature", "clock", "put", "get", "range", "readAfterWrite", "metadata", "ifNoneMatch",
      "ifMatch", "list", "payloadHash", "readLatency", "writeLatency", "delete", "cleanUp",
    ]
    #expect(findings.keys.sorted() == probes.sorted())
    for (probe, finding) in findings where probe != "metadata" {
      #expect(finding.verdict == .ok && finding.consequence == nil && finding.failure == nil, "\(finding)")
    }
    // The scripted server keeps none.
    #expect(findings["metadata"]?.verdict == .cannot)
    #expect(findings["credentials"]?.detail == "from the program: permanent, AKID…")
    #expect(findings["readLatency"]?.detail.hasSuffix("of 3") == true)
    #expect(server.counters.refusals["RequestTimeTooSkewed"] == nil)
    server.stop()
  }

  @Test(arguments: [ScriptedBucket.Conditions.ignored, .refused])
  func serversWithoutConditions(conditions: ScriptedBucket.Conditions) async throws {
    server.setConditions(conditions)
    let findings = try await run(check())
    for probe in ["ifNoneMatch", "ifMatch"] {
      #expect(findings[probe]?.verdict == .cannot && findings[probe]?.consequence != nil, "\(findings)")
    }
    #expect(findings["ifNoneMatch"]?.consequence?.contains("Redis") == true)
    #expect(findings["delete"]?.verdict == .ok)
    server.stop()
  }

  @Test func serversWithoutRanges() async throws {
    server.setIgnoresRanges(true)
    let findings = try await run(check())
    #expect(findings["range"]?.verdict == .cannot && findings["get"]?.verdict == .ok)
    server.stop()
  }

  @Test(arguments: [(3_600, TierFinding.Verdict.warning), (-3_600, .warning), (120, .warning), (30, .ok)])
  func clocksThatDiffer(seconds: Int, verdict: TierFinding.Verdict) async throws {
    server.setClockOffset(seconds)
    let findings = try await run(check())
    #expect(findings["clock"]?.verdict == verdict)
    #expect(
      findings["clock"]?.detail
        == "the server is \(abs(seconds)) s \(seconds > 0 ? "ahead" : "behind")")
    // It is corrected.
    #expect(findings["signature"]?.verdict == .ok && findings["put"]?.verdict == .ok)
    server.stop()
  }

  @Test func wrongKeys() async throws {
    let findings = try await run(check(secret: "wrong"))
    #expect(findings.keys.sorted() == ["clock", "credentials", "signature"])
    #expect(findings["signature"]?.verdict == .failed)
    #expect(findings["signature"]?.failure?.code == "bucketRefused")
    #expect(findings["signature"]?.detail.contains("SignatureDoesNotMatch") == true)
    server.stop()
  }

  @Test func noKeys() async throws {
    let none = BucketCredentials(NoCredentials())
    let findings = try await run(check(credentials: none))
    #expect(findings.keys.sorted() == ["credentials"])
    #expect(findings["credentials"]?.failure?.code == "bucketCredentials")
    #expect(server.counters.requests == [:])
    server.stop()
  }

  private struct NoCredentials: BucketCredentialProviding {
    func keys() async throws(BucketError) -> BucketKeys? { nil }
  }

  @Test func keysWithoutRights() async throws {
    server.setFault { $0.method == "PUT" ? .refuse(status: 403, code: "AccessDenied") : nil }
    let writing = try await run(check())
    #expect(writing.keys.sorted() == ["cleanUp", "clock", "credentials", "put", "signature"])
    #expect(writing["put"]?.verdict == .failed && writing["put"]?.failure?.code == "bucketRefused")
    server.setFault {
      $0.query?.contains("list-type") == true ? .refuse(status: 403, code: "AccessDenied") : nil
    }
    let listing = try await run(check())
    #expect(listing["list"]?.verdict == .cannot && listing["delete"]?.verdict == .ok)
    server.setFault { $0.path.hasSuffix("-none") ? .refuse(status: 403, code: "AccessDenied") : nil }
    let missing = try await run(check())
    #expect(missing["signature"]?.verdict == .warning && missing["put"]?.verdict == .ok)
    server.stop()
  }

  @Test func oldReads() async throws {
    server.setFault { $0.path.hasSuffix("-changed") ? .replace(Data("old".utf8)) : nil }
    let findings = try await run(check())
    #expect(findings["readAfterWrite"]?.verdict == .cannot)
    #expect(findings["readAfterWrite"]?.detail == "5 of 5 reads right after writes were old")
    server.stop()
  }

  @Test(
    arguments: [
      (BucketFault.reset, "bucketUnreachable"), (.close, "bucketUnreachable"),
      (.cut(after: 100), "bucketUnreachable"), (.flip(bit: 9), "bucketAnswer"),
      (.replace(Data(repeating: 1, count: 5 << 20)), "bucketAnswer"),
      (.refuse(status: 503, code: "SlowDown", retryAfter: 1_000_000), "bucketRefused"),
    ])
  func badReads(fault: BucketFault, code: String) async throws {
    server.setFault { $0.method == "GET" && $0.path.hasSuffix("-object") ? fault : nil }
    let findings = try await run(check())
    #expect(findings["get"]?.failure?.code == code, "\(findings)")
    #expect(findings["range"] == nil && findings["list"]?.verdict == .ok)
    #expect(findings["cleanUp"]?.verdict == .ok)
    server.stop()
  }

  @Test(arguments: [BucketFault.hang, .drip(every: .seconds(3_600))])
  func probesAreLimited(fault: BucketFault) async throws {
    let isReached = Gate()
    server.setFault { request in
      guard request.path.hasSuffix("-object"), request.method == "GET" else { return nil }
      defer { isReached.open() }
      return isReached.isOpen ? .refuse(status: 500, code: "InternalError") : fault
    }
    let check = try check(clock: time.clock)
    async let run = run(check)
    try await isReached.wait()
    try await time.clock.waitForSleepers()
    time.advance(by: .seconds(59))
    #expect(time.clock.sleeperCount == 1)
    time.advance(by: .seconds(1))
    let findings = try await run
    #expect(findings["get"]?.failure?.code == "timedOut", "\(findings)")
    #expect(findings["get"]?.duration == .seconds(60) && findings["list"]?.verdict == .ok)
    #expect(findings["cleanUp"]?.verdict == .ok)
    server.stop()
  }

  @Test func theTimeForAllIsLimited() async throws {
    var limits = Self.limits()
    (limits.probe, limits.total) = (.seconds(70), .seconds(50))
    let isReached = Gate()
    server.setFault { request in
      guard request.path.hasSuffix("-object"), request.method == "GET" else { return nil }
      isReached.open()
      return .hang
    }
    let check = try check(limits: limits, clock: time.clock)
    async let run = run(check)
    try await isReached.wait()
    try await time.clock.waitForSleepers()
    time.advance(by: .seconds(49))
    #expect(time.clock.sleeperCount == 1)
    time.advance(by: .seconds(1))
    let findings = try await run
    #expect(findings["get"]?.failure?.code == "timedOut" && findings["get"]?.duration == .seconds(50))
    #expect(findings["range"] == nil)
    #expect(findings["delete"]?.detail == "not probed: the time for all probes is over")
    #expect(findings["cleanUp"]?.verdict == .ok)
    server.stop()
  }

  @Test func aCancelledCheckRemovesItsObjects() async throws {
    let isReached = Gate()
    server.setFault { request in
      guard request.method == "GET", request.path.hasSuffix("-object") else { return nil }
      isReached.open()
      return .hang
    }
    let check = try check()
    let task = Task {
      let found = Lock<[String]>([])
      await check.run { finding in found.withLock { $0.append(finding.probe) } }
      return found.withLock { $0 }
    }
    try await isReached.wait()
    #expect(server.objects.count == 2)
    task.cancel()
    let probes = await task.value
    #expect(probes.last == "cleanUp" && !probes.contains("range"))
    #expect(server.objects.keys.sorted() == ["calotype/v1/o/other"])
    server.stop()
  }

  @Test func outcomesOfTimes() {
    var sample = LatencySample()
    #expect(sample.median == .zero && sample.worst == .zero)
    for time in [30, 1, 400, 2, 3] { sample.add(.milliseconds(time)) }
    #expect(sample.median == .milliseconds(3) && sample.worst == .milliseconds(400) && sample.count == 5)
    #expect(sample.outcome(limit: .milliseconds(3), consequence: "x").verdict == .ok)
    #expect(sample.outcome(limit: nil, consequence: "x") == .ok("median 3.00 ms, worst 400 ms of 5"))
    let slow = sample.outcome(limit: .milliseconds(2), consequence: "x")
    #expect(slow.verdict == .warning && slow.consequence == "x")
  }

  @Test func datesOfServers() {
    let now = Date(timeIntervalSince1970: 784_111_777.5)
    #expect(ClockDifference(date: "Sun, 06 Nov 1994 08:49:37 GMT", now: now).seconds == 0)
    #expect(ClockDifference(date: "Sun, 06 Nov 1994 09:49:37 GMT", now: now).seconds == 3_600)
    for bad in [nil, "", "now", "Sun, 99 Nov 1994 08:49:37 GMT"] {
      #expect(ClockDifference(date: bad, now: now).outcome.verdict == .cannot)
    }
  }
}
