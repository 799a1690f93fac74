import Calotype
import CalotypeCaching
import CalotypeResults
import CalotypeSettings
import CalotypeTestKit
import CalotypeTiers
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import CalotypeServing

/// Servers that share a bucket, and Redis.
@Suite("Tiers", .timeLimit(.minutes(5)))
struct TierTests {
  private let origin = TestOrigin()
  private let bucket: ScriptedBucket

  init() throws { bucket = try ScriptedBucket() }

  /// A server with the bucket, without a disk.
  private func node(
    _ redis: RedisProgram? = nil, _ change: (inout Settings) -> Void = { _ in }
  ) async throws -> ImageServer {
    let node = try await origin.server(patience: .seconds(30)) { settings in
      settings.cache.storage = .s3
      settings.cache.bucket = bucket.name
      settings.cache.s3.region = bucket.region
      settings.cache.s3.endpoint = bucket.endpoint.absoluteString
      settings.cache.s3.accessKeyID = bucket.accessKey
      settings.cache.s3.secretAccessKey = Secret(bucket.secretKey)
      if let redis {
        settings.cache.redisURL = Secret("redis://127.0.0.1:\(redis.port)")
        settings.cache.redisLifetime = .seconds(60)
      }
      change(&settings)
    }
    if redis != nil { try await until { !node.parts.tiers.faults.contains("Redis") } }
    return node
  }

  private func image(_ node: ImageServer, width: Int = 40) async -> ServedResponse {
    await node.response("/unsafe/rs:fit:\(width):\(width)/plain/http://images.example/a.png")
  }

  private func results() -> Int { bucket.objects.keys.count { $0.contains("/v1/r/") } }

  private func settle(_ node: ImageServer) async throws {
    await node.parts.pipeline.flush()
    try await node.parts.tiers.results?.bucket.flush()
    try await node.parts.tiers.originals?.flush()
  }

  private func hits(_ node: ImageServer) -> [Int] {
    let counters = node.metrics.snapshot.counters
    return [.memoryHits, .redisHits, .bucketHits, .misses].map { counters[$0] ?? 0 }
  }

  private func ready(_ node: ImageServer) async -> String {
    let response = await node.response("/ready")
    #expect(response.status == .ok)
    return String(decoding: response.data, as: UTF8.self)
  }

  private func metrics(_ node: ImageServer) -> String {
    String(decoding: node.metricsResponse.data, as: UTF8.self)
  }

  @Test func aBucketThatIsNotThereIsTold() async throws {
    #expect(try await node().parts.tiers.refusal == nil)
    let node = try await node { $0.cache.bucket = "missing" }
    #expect(node.parts.tiers.refusal?.contains("NoSuchBucket") == true)
    // Images are made all the same.
    #expect(await image(node).status == .ok)
  }

  @Test(arguments: [Duration.zero, .seconds(3_600)])
  func resultsThatAreCheapToMakeStayOutOfTheBucket(_ cost: Duration) async throws {
    let node = try await node { $0.cache.bucketMinimumCost = cost }
    let body = await image(node).data
    try await settle(node)
    #expect(results() == (cost == .zero ? 1 : 0))
    // The source is there in any case.
    let other = try await self.node { $0.cache.bucketMinimumCost = cost }
    #expect(await image(other).data == body)
    #expect(hits(other) == (cost == .zero ? [0, 0, 1, 0] : [0, 0, 0, 1]))
    #expect(origin.loads == 1)
    let written = cost == .zero ? "stored" : "cheap"
    #expect(
      metrics(node).contains(
        "tier_writes_total{tier=\"bucket\",content=\"results\",outcome=\"\(written)\"} 1\n"))
  }

  /// A result that a node has kept says how long it took, so that it is judged alike later.
  @Test(arguments: [nil, .zero, .milliseconds(70)] as [Duration?]) func theCostIsKept(_ cost: Duration?) {
    var result = StoredResult(
      data: Data([1]), contentType: "image/png", fileExtension: ".png", width: 1, height: 1,
      source: .init(version: "1", byteCount: 1, width: 1, height: 1), isStorable: true, varyingHeaders: [],
      notices: [], tags: [])
    result.makingTime = cost
    let record = CacheRecord(
      data: result.data, metadata: result.metadata(identity: "i"), created: .now, accessed: .now)
    #expect(record.metadata.cost == cost && StoredResult(record)?.makingTime == cost)
  }

  @Test(.needsRedis) func smallResultsTravelByRedis() async throws {
    let redis = try await RedisProgram()
    let nodes = [try await node(redis), try await node(redis)]
    let body = await image(nodes[0]).data
    try await settle(nodes[0])
    try await until { metrics(nodes[0]).contains("content=\"results\",outcome=\"stored\"} 1") }
    #expect(await image(nodes[1]).data == body)
    #expect(hits(nodes[1]) == [0, 1, 0, 0])
    #expect(origin.loads == 1)
    // A purge at one node counts for what Redis has, too.
    origin.state.withLock { $0.color = 200 }
    let purged = await nodes[0].response(
      to: .post, "/purge?all=1", [.authorization: "Bearer none"])
    #expect(purged.status != .ok)
    #expect(try await nodes[0].parts.store.purge(.all) >= 0)
    #expect(await image(nodes[0]).data != body)
    #expect(hits(nodes[0]) == [0, 0, 0, 2])
    for node in nodes { #expect(await ready(node) == "ready\n") }
    redis.kill()
    try await until { nodes[0].parts.tiers.faults == ["Redis"] }
    #expect(await ready(nodes[0]) == "ready\ndegraded: Redis\n")
    #expect(metrics(nodes[0]).contains("tier_breaker_open{tier=\"redis\",content=\"results\"} 1\n"))
    #expect(await image(nodes[0], width: 30).status == .ok)
  }

  /// Redis is in front of the bucket, which fills it.
  @Test(.needsRedis) func redisIsFilledFromTheBucket() async throws {
    let redis = try await RedisProgram()
    let first = try await node { $0.cache.bucketMinimumCost = .zero }
    let body = await image(first).data
    try await settle(first)
    for expected in [[0, 0, 1, 0], [0, 1, 0, 0]] {
      let node = try await node(redis) { $0.cache.bucketMinimumCost = .zero }
      #expect(await image(node).data == body)
      #expect(hits(node) == expected)
      try await until {
        expected[1] == 1
          || metrics(node).contains("{tier=\"redis\",content=\"results\",outcome=\"stored\"} 1\n")
      }
    }
  }

  @Test func redisIsOffByDefault() async throws {
    #expect(Settings().cache.redisLifetime == .zero)
    let node = try await node()
    #expect(node.parts.tiers.results?.small == nil)
  }

  @Test func aBucketThatFailsDegrades() async throws {
    let node = try await node()
    #expect(await ready(node) == "ready\n")
    bucket.setFault { _ in .refuse(status: 503, code: "SlowDown", retryAfter: nil) }
    for width in 1...12 { #expect(await image(node, width: width).status == .ok) }
    #expect(await ready(node) == "ready\ndegraded: bucket\n")
    let text = metrics(node)
    for content in ["results", "sources"] {
      #expect(text.contains("tier_reads_total{tier=\"bucket\",content=\"\(content)\",outcome=\"failed\"} "))
    }
    #expect(text.contains("tier_breaker_open{tier=\"bucket\",content=\"results\"} 1\n"))
    #expect(text.contains("purge_log_current 1\n") && text.contains("purge_log_position 0\n"))
    #expect(text.contains("tier_read_duration_seconds_count{tier=\"bucket\"} 12\n"))
  }

  /// Without the log of purges nothing from before the start is trusted: each source is asked once.
  @Test func aBucketThatIsAwayAtTheStartCostsOneQuestionForEachSource() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func node() async throws -> ImageServer {
      try await self.node {
        $0.cache.directory = folder.path
        $0.cache.sourceBytes = 1 << 20
      }
    }
    let first = try await node()
    _ = await image(first)
    try await settle(first)
    await first.flush()
    #expect(origin.loads == 1)
    bucket.setFault { _ in .refuse(status: 503, code: "SlowDown", retryAfter: nil) }
    for start in 1...2 {
      let node = try await node()
      #expect(await ready(node) == "ready\ndegraded: log of purges\n")
      #expect(metrics(node).contains("purge_log_current 0\n"))
      for width in [20, 30, 50, 60] {
        #expect(await image(node, width: width + start).status == .ok)
        try await settle(node)
      }
      #expect(origin.loads == 1 + start)
      await node.flush()
    }
  }
}
