import CalotypeCaching
import CalotypeSupport
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Writes to a bucket: queued, bounded, and tried again.
@Suite("Writes to a bucket", .timeLimit(.minutes(5)))
struct BucketWriteTests {
  @Test func theQueueIsBoundedUnderAStoppedBucket() async throws {
    let limit = 1 << 20
    let harness = try BucketHarness { $0.queueLimit = limit }
    harness.server.setFault { $0.method == "PUT" ? .hang : nil }
    var most = 0
    for number in 0..<2_000 {
      try await harness.store(number, count: 1_000)
      most = max(most, harness.cache.statistics.queuedBytes)
    }
    #expect(most <= limit && most > limit - 4_096)
    let statistics = harness.cache.statistics
    #expect(statistics.dropped > 1_000 && statistics.dropped + statistics.queued == 2_000)
    try await eventually { harness.server.counters.requests["PUT"] == 8 }
    // What waits can be read here.
    #expect(try await harness.cache.read(BucketHarness.key(0))?.data == BucketHarness.data(0, count: 1_000))
    #expect(try await harness.cache.removeAll(.source("https://example.org/20")) == 0)
    #expect(harness.cache.statistics.queued == statistics.queued - 1)
    #expect(try await harness.cache.removeAll() == 0)
    #expect(harness.cache.statistics.queued == 8)
    #expect(harness.server.counters.requests["PUT"] == 8)
    await harness.stop()
  }

  @Test func failedWritesAreTriedThreeTimes() async throws {
    let harness = try BucketHarness(random: 1)
    harness.server.setFault { $0.method == "PUT" ? .refuse(status: 500, code: "InternalError") : nil }
    try await harness.store(1)
    for wait in [Duration.milliseconds(500), .seconds(1)] {
      try await harness.time.clock.waitForSleepers()
      harness.time.advance(by: wait - .milliseconds(1))
      #expect(harness.time.clock.sleeperCount == 1)
      harness.time.advance(by: .milliseconds(1))
    }
    try await harness.cache.flush()
    #expect(harness.server.counters.requests == ["PUT": 3])
    #expect(harness.cache.statistics.failedWrites == 1 && harness.cache.statistics.retries == 2)
    #expect(harness.cache.statistics.queuedBytes == 0)
    await harness.stop()
  }

  @Test func retryAfterIsKept() async throws {
    let harness = try BucketHarness()
    harness.server.setFault {
      $0.method == "PUT" ? .refuse(status: 503, code: "SlowDown", retryAfter: 4) : nil
    }
    try await harness.store(1)
    try await harness.time.clock.waitForSleepers()
    harness.server.setFault(nil)
    #expect(harness.cache.statistics.writeLimit == 4)
    harness.time.advance(by: .milliseconds(3_999))
    #expect(harness.time.clock.sleeperCount == 1)
    harness.time.advance(by: .milliseconds(1))
    try await harness.cache.flush()
    #expect(harness.server[harness.path(1)] != nil)
    // Writes that are refused for their number do not stop reads.
    #expect(harness.cache.statistics.breaker == .closed)
    await harness.stop()
  }

  @Test func lostAnswersAreWrittenAgain() async throws {
    let harness = try BucketHarness()
    let isFirst = Lock(true)
    harness.server.setFault { _ in
      isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst ? .loseAnswer : nil
      }
    }
    try await harness.store(1)
    try await harness.cache.flush()
    #expect(harness.cache.statistics.stored == 1)
    #expect(
      try PortableRecord.decode(#require(harness.server[harness.path(1)]), for: BucketHarness.key(1)).data
        .count
        == 500)
    await harness.stop()
  }

  @Test func theNewestOfAKeyCounts() async throws {
    let harness = try BucketHarness { $0.maxWrites = 1 }
    let gate = Gate()
    harness.server.setFault { request in
      if request.method == "PUT", !gate.isOpen { gate.waitBlocking() }
      return nil
    }
    try await harness.store(0)
    for number in 1...20 {
      try await harness.cache.store(
        Data([UInt8(number)]), metadata: RecordMetadata(), for: BucketHarness.key(0))
    }
    try await eventually { harness.server.counters.requests["PUT"] == 1 }
    gate.open()
    try await harness.cache.flush()
    #expect(harness.server.counters.requests == ["PUT": 2])
    let object = try #require(harness.server[harness.path(0)])
    #expect(try PortableRecord.decode(object, for: BucketHarness.key(0)).data == Data([20]))
    await harness.stop()
  }

  @Test func removalsFollowWritesOfTheirKey() async throws {
    let harness = try BucketHarness()
    let gate = Gate()
    harness.server.setFault { request in
      if request.method == "PUT" { gate.waitBlocking() }
      return nil
    }
    try await harness.store(1)
    try await eventually { harness.server.counters.requests["PUT"] == 1 }
    let cache = harness.cache
    let removal = Task { try await cache.remove(BucketHarness.key(1)) }
    try await eventually { cache.statistics.queued == 2 }
    #expect(try await cache.read(BucketHarness.key(1)) == nil)
    gate.open()
    #expect(try await removal.value)
    #expect(harness.server.objects.isEmpty)
    await harness.stop()
  }

  @Test func failedRemovalsThrow() async throws {
    let harness = try BucketHarness()
    harness.server.setFault { _ in .refuse(status: 403, code: "AccessDenied") }
    await #expect(throws: CachingError.self) { try await harness.cache.remove(BucketHarness.key(1)) }
    await harness.stop()
  }

  @Test func flushesCanBeCancelled() async throws {
    let harness = try BucketHarness()
    harness.server.setFault { _ in .hang }
    try await harness.store(1)
    let cache = harness.cache
    let flush = Task { try await cache.flush() }
    flush.cancel()
    await #expect(throws: CachingError.cancelled) { try await flush.value }
    await harness.stop()
  }

  // MARK: Sharing

  private static func response(_ fields: HTTPFields, status: Int = 200) -> RecordMetadata {
    RecordMetadata(
      response: StoredResponse(
        status: status, fields: fields, request: [:], requestTime: Date(), responseTime: Date()))
  }

  @Test func privateResponsesStayHere() {
    func decision(_ control: String, status: Int = 200) -> ShareDecision {
      ShareDecision(Self.response([.cacheControl: control], status: status), bytes: 1, limit: 10)
    }
    #expect(decision("max-age=60") == .share)
    #expect(decision("no-cache") == .share)
    #expect(decision("max-age=0") == .share)
    #expect(decision("private") == .refuse(.isPrivate))
    #expect(decision("max-age=60, no-store") == .refuse(.responseForbids))
    #expect(decision("private=\"etag\"") == .share)
    #expect(decision("max-age=60", status: 206) == .refuse(.partial))
    #expect(
      ShareDecision(Self.response([.cacheControl: "private=\"etag\"", .eTag: "\"a\""]), bytes: 1, limit: 10)
        == .refuse(.isPrivate))
    #expect(ShareDecision(Self.response([.vary: "*"]), bytes: 1, limit: 10) == .refuse(.variesByEverything))
    #expect(ShareDecision(RecordMetadata(), bytes: 10, limit: 10) == .share)
    #expect(ShareDecision(RecordMetadata(), bytes: 11, limit: 10) == .tooLarge)
  }

  @Test func unsharedRecordsAreCounted() async throws {
    let harness = try BucketHarness { $0.recordLimit = 10_000 }
    try await harness.cache.store(
      Data([1]), metadata: Self.response([.cacheControl: "private"]), for: BucketHarness.key(1))
    try await harness.store(2, count: 10_000)
    try await harness.cache.flush()
    #expect(harness.cache.statistics.unshared == 2)
    #expect(harness.server.counters.requests.isEmpty)
    await #expect(throws: CachingError.self) {
      try await harness.cache.store(
        Data(), metadata: RecordMetadata(), for: CacheKey(String(repeating: "k", count: 70_000)))
    }
    await harness.stop()
  }

  @Test func expiredRecordsAreMisses() async throws {
    let harness = try BucketHarness()
    let end = harness.time.date.addingTimeInterval(60)
    try await harness.cache.store(
      Data([1]), metadata: RecordMetadata(expires: end), for: BucketHarness.key(1))
    try await harness.cache.flush()
    #expect(try await harness.cache.read(BucketHarness.key(1)) != nil)
    harness.time.advance(by: .seconds(60))
    #expect(try await harness.cache.read(BucketHarness.key(1)) == nil)
    #expect(harness.cache.statistics.expired == 1 && harness.cache.statistics.corrupted == 0)
    await harness.stop()
  }
}
