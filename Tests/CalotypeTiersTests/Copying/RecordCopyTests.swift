import CalotypeCaching
import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Copies of records between folders and buckets.
@Suite("Copies of records", .timeLimit(.minutes(5)))
struct RecordCopyTests {
  let harness: CopyHarness

  init() throws { harness = try CopyHarness() }

  @Test func recordsKeepEverything() async throws {
    try await harness.store(0..<40, in: "one", count: 20_000)
    // Equal payloads share a file in a folder, and none in a bucket.
    try await harness.cache("one").store(
      BucketHarness.data(1, count: 20_000), metadata: CopyHarness.metadata(99), for: BucketHarness.key(99))
    #expect(try await harness.copy(harness.disk("one"), harness.bucket()) == ["copied": 41])
    #expect(harness.server.objects.count == 41)
    harness.time.advance(by: .seconds(3_600))
    #expect(try await harness.copy(harness.bucket(), harness.bucket(.results)) == ["copied": 41])
    #expect(try await harness.copy(harness.bucket(.results), harness.disk("two")) == ["copied": 41])
    #expect(try await harness.copy(harness.disk("two"), harness.disk("three")) == ["copied": 41])
    let records = try await harness.list("one")
    #expect(records.count == 41)
    #expect(try await harness.list("two") == records)
    #expect(try await harness.list("three") == records)
    let read = try #require(try await harness.cache("three").read(BucketHarness.key(7)))
    #expect(read.data == BucketHarness.data(7, count: 20_000) && read.metadata == CopyHarness.metadata(7))
    // Another time, all are there.
    #expect(try await harness.copy(harness.disk("one"), harness.bucket()) == ["kept": 41])
    #expect(try await harness.copy(harness.bucket(), harness.disk("two")) == ["kept": 41])
    #expect(try await harness.copy(harness.bucket(), harness.bucket(.results)) == ["kept": 41])
    #expect(harness.server.counters.refusals["PreconditionFailed"] == nil)
    // The requests of BucketCache.
    let object = try #require(
      harness.server[
        try harness.bucket().place(BucketHarness.key(3).hexDigest).replacing("s3://images/", with: "")])
    #expect(try PortableRecord.decode(object, for: BucketHarness.key(3)).metadata == CopyHarness.metadata(3))
    harness.server.stop()
  }

  @Test func theNewerRecordStays() async throws {
    try await harness.store(0..<4, in: "old")
    harness.time.advance(by: .seconds(10))
    try await harness.store(0..<2, in: "new", count: 700)
    #expect(try await harness.copy(harness.disk("new"), harness.bucket()) == ["copied": 2])
    #expect(try await harness.copy(harness.disk("old"), harness.bucket()) == ["copied": 2, "kept": 2])
    let kept = try await harness.bucket().record(BucketHarness.key(0).hexDigest)
    #expect(kept?.bytes.count ?? 0 > 700)
    // The other way round, older ones are replaced.
    #expect(try await harness.copy(harness.disk("new"), harness.disk("old")) == ["copied": 2])
    #expect(try await harness.cache("old").read(BucketHarness.key(1))?.data.count == 700)
    #expect(try await harness.copy(harness.disk("old"), harness.bucket(prefix: "b")) == ["copied": 4])
    harness.time.advance(by: .seconds(10))
    try await harness.store(0..<1, in: "newest", count: 900)
    for conditions in [ScriptedBucket.Conditions.honoured, .refused] {
      harness.server.setConditions(conditions)
      #expect(
        try await harness.copy(
          harness.disk("newest"), harness.bucket(prefix: conditions == .refused ? "b" : "calotype"))
          == ["copied": 1])
    }
    harness.server.stop()
  }

  /// Another node stores a newer one between the look and the write.
  @Test func recordsOfTheSameMomentStay() async throws {
    try await harness.store(0..<1, in: "one")
    let tier = try harness.bucket()
    let digest = BucketHarness.key(0).hexDigest
    let record = try #require(try await harness.disk("one").record(digest))
    #expect(try await tier.store(record, digest: digest, over: nil) == .stored)
    #expect(try await tier.store(record, digest: digest, over: nil) == .superseded)
    let head = try #require(try await tier.head(digest))
    #expect(head.tag != nil && head.byteCount == record.bytes.count)
    let key = try #require(harness.server.objects.keys.first)
    harness.server[key] = Data("newer".utf8)
    #expect(try await tier.store(record, digest: digest, over: head) == .superseded)
    harness.server.stop()
  }

  @Test func someRecordsStayOut() async throws {
    let cache = harness.cache("one")
    func store(_ number: Int, _ change: (inout RecordMetadata) -> Void) async throws {
      var metadata = CopyHarness.metadata(number)
      change(&metadata)
      try await cache.store(BucketHarness.data(number), metadata: metadata, for: BucketHarness.key(number))
    }
    let time = harness.time.date
    try await store(0) { _ in }
    try await store(1) { $0.expires = time.addingTimeInterval(5) }
    try await store(2) {
      $0.response = StoredResponse(
        status: 200, fields: [.cacheControl: "private"], request: HTTPFields(), requestTime: time,
        responseTime: time)
    }
    try await cache.flush()
    harness.time.advance(by: .seconds(6))
    #expect(
      try await harness.copy(harness.disk("one"), harness.bucket()) == [
        "copied": 1, "expired": 1, "unshared": 1,
      ])
    #expect(try await harness.copy(harness.disk("one"), harness.disk("two")) == ["copied": 2, "expired": 1])
    harness.server.stop()
  }

  @Test func selectionsAreThoseOfClearing() async throws {
    try await harness.store(0..<9, in: "one")
    let selections: [[CacheSelection]] = [
      [.tag("tag 1")], [.source("https://example.org/4")], [.sourcePrefix("https://example.org/")],
      [.tag("tag 1"), .source("https://example.org/0")],
    ]
    for (selection, count) in zip(selections, [3, 1, 9, 4]) {
      let outcome = try await harness.copy(
        harness.disk("one"), harness.bucket(), selection, isDryRun: true)
      #expect(outcome["copied"] == count && outcome["unselected"] ?? 0 == 9 - count)
    }
    #expect(harness.server.objects.isEmpty)
    _ = try await harness.copy(harness.disk("one"), harness.bucket())
    let requests = harness.server.counters.requests
    let outcome = try await harness.copy(
      harness.bucket(), harness.disk("two"), [.tag("tag 1")], isDryRun: true)
    #expect(outcome == ["copied": 3, "unselected": 6])
    #expect(try await harness.list("two").isEmpty)
    // A page of the listing, and a header each.
    #expect(harness.server.counters.requests["GET"] == (requests["GET"] ?? 0) + 10)
    harness.server.stop()
  }

  @Test func damagedRecordsAreLeft() async throws {
    try await harness.store(0..<6, in: "one", count: 20_000)
    #expect(try await harness.copy(harness.disk("one"), harness.bucket()) == ["copied": 6])
    let keys = harness.server.objects.keys.sorted()
    harness.server[keys[0]]?[15_000] ^= 1
    harness.server[keys[1]]?.removeLast(5)
    harness.server[keys[2]] = harness.server[keys[3]]
    harness.server[keys[4]] = Data()
    // Other objects are none of ours.
    for name in ["x", "ab/cd/ef", "ab/cd/" + String(repeating: "A", count: 60)] {
      harness.server["calotype/v1/o/\(name)"] = Data("other".utf8)
    }
    #expect(try await harness.copy(harness.bucket(), harness.disk("two")) == ["copied": 2, "damaged": 4])
    #expect(try await harness.list("two").count == 2)
    // Damaged ones of the target are replaced, but for those whose data only is damaged.
    let again = try await harness.copy(harness.disk("one"), harness.bucket())
    #expect(again == ["copied": 3, "kept": 3])
    // Those of a folder.
    for path in FileManager.default.subpaths(atPath: harness.folder.path("one")) ?? [] {
      guard path.split(separator: "/").last?.utf8.count == 62 else { continue }
      let file = harness.folder.path("one") + "/" + path
      var bytes = try Data(contentsOf: URL(filePath: file))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: URL(filePath: file))
    }
    #expect(try await harness.copy(harness.disk("one"), harness.disk("three")) == ["damaged": 6])
    harness.server.stop()
  }

  @Test func serversWithoutConditionsOrRangesWork() async throws {
    try await harness.store(0..<5, in: "one", count: 20_000)
    harness.server.setConditions(.refused)
    harness.server.setIgnoresRanges(true)
    #expect(try await harness.copy(harness.disk("one"), harness.bucket()) == ["copied": 5])
    #expect(try await harness.copy(harness.disk("one"), harness.bucket()) == ["kept": 5])
    #expect(try await harness.copy(harness.bucket(), harness.disk("two")) == ["copied": 5])
    #expect(try await harness.list("two") == harness.list("one"))
    harness.server.stop()
  }

  @Test func requestsAreTriedAgain() async throws {
    try await harness.store(0..<5, in: "one")
    let seen = Lock<Set<String>>([])
    harness.server.setFault { request in
      let isFirst = seen.withLock {
        $0.insert("\(request.method) \(request.path) \(request.query ?? "")").inserted
      }
      return isFirst ? .refuse(status: 503, code: "SlowDown") : nil
    }
    #expect(try await harness.copy(harness.disk("one"), harness.bucket()) == ["copied": 5])
    #expect(try await harness.copy(harness.bucket(), harness.disk("two")) == ["copied": 5])
    harness.server.stop()
  }

  @Test func aServerThatIsGoneEndsACopy() async throws {
    try await harness.store(0..<60, in: "one")
    harness.server.setFault { _ in .refuse(status: 403, code: "AccessDenied") }
    let tier = try harness.bucket()
    await #expect(throws: BucketError.self) { try await harness.copy(harness.disk("one"), tier) }
    #expect(harness.last.withLock { $0 } == ["failed": RecordCopy.maxFailures])
    await #expect(throws: BucketError.self) { try await harness.copy(tier, harness.disk("two")) }
    harness.server.stop()
  }

  @Test func aFullFolderEndsACopy() async throws {
    try await harness.store(0..<60, in: "one", count: 2_000)
    let time = harness.time
    let small = FolderTier(harness.cache("small", byteLimit: 20_000), now: { time.date })
    await #expect(throws: CachingError.self) { try await harness.copy(harness.disk("one"), small) }
    let outcome = harness.last.withLock { $0 }
    #expect(outcome["noRoom"] == RecordCopy.maxFailures && outcome["copied"] ?? 0 > 5)
    harness.server.stop()
  }

  @Test func copiesContinueAfterTheirCancellation() async throws {
    try await harness.store(0..<30, in: "one")
    let count = Lock(0)
    let isReached = Gate()
    harness.server.setFault { request in
      guard request.method == "PUT" else { return nil }
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 10 { isReached.open() }
      return number >= 10 ? .hang : nil
    }
    let (harness, tier) = (harness, try harness.bucket())
    let task = Task { try await harness.copy(harness.disk("one"), tier) }
    try await isReached.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(harness.server.objects.count == 9)
    harness.server.setFault(nil)
    #expect(try await harness.copy(harness.disk("one"), harness.bucket()) == ["copied": 21, "kept": 9])
    harness.server.stop()
  }

  /// As many at a time as were asked for, and no more.
  @Test(arguments: [1, 4]) func transfersAreLimited(limit: Int) async throws {
    try await harness.store(0..<12, in: "one")
    let hanging = Lock(0)
    let isFull = Gate()
    harness.server.setFault { request in
      guard request.method == "PUT" else { return nil }
      if hanging.withLock({ count in
        count += 1
        return count
      }) == limit {
        isFull.open()
      }
      return .hang
    }
    let (harness, tier) = (harness, try harness.bucket())
    let task = Task { try await harness.copy(harness.disk("one"), tier, transfers: limit) }
    try await isFull.wait()
    #expect(hanging.withLock { $0 } == limit)
    task.cancel()
    _ = await task.result
    #expect(harness.server.counters.requests["PUT"] == limit)
    harness.server.stop()
  }

  @Test func theWindowIsBounded() {
    var window = CopyWindow(transfers: 3, byteLimit: 100)
    #expect(window.admits(1_000_000) && window.admits(.max))
    window.begin(60)
    #expect(window.admits(40) && !window.admits(41) && !window.admits(.max))
    window.begin(20)
    window.begin(0)
    #expect(!window.admits(0) && window.count == 3 && window.bytes == 80)
    window.end(60)
    #expect(window.admits(80))
    window.end(20)
    window.end(0)
    window.begin(.max)
    #expect(!window.admits(1))
  }
}
