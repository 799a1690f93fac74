import CalotypeCaching
import CalotypeSupport
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Records in a bucket, over real connections to a server that verifies signatures by the book.
@Suite("Records in a bucket", .timeLimit(.minutes(5)))
struct BucketCacheTests {
  @Test func recordsReturnAsTheyWereStored() async throws {
    let harness = try BucketHarness(sessionToken: "token/+=")
    for (number, count) in [0, 1, 500, 70_000, 3_000_000].enumerated() {
      try await harness.store(number, count: count)
    }
    try await harness.cache.flush()
    #expect(harness.server.counters.refusals == [:])
    // Another machine.
    let other = BucketCache(
      harness.cache.bucket,
      credentials: .keys(
        try BucketKeys(
          accessKey: harness.server.accessKey, secretKey: harness.server.secretKey, sessionToken: "token/+=")),
      configuration: harness.cache.configuration, now: { harness.time.date }, clock: harness.time.clock)
    for (number, count) in [0, 1, 500, 70_000, 3_000_000].enumerated() {
      let record = try #require(try await other.read(BucketHarness.key(number)))
      #expect(record.data == BucketHarness.data(number, count: count))
      #expect(record.data.startIndex == 0)
      #expect(record.metadata == BucketHarness.metadata(number))
      #expect(record.created == harness.time.date)
    }
    #expect(try await other.contains(BucketHarness.key(0)))
    #expect(try await !other.contains(BucketHarness.key(9)))
    #expect(try await other.read(BucketHarness.key(9)) == nil)
    #expect(other.statistics.hits == 5 && other.statistics.misses == 1)
    #expect(harness.cache.statistics.stored == 5 && harness.cache.statistics.queuedBytes == 0)
    #expect(try await harness.cache.remove(BucketHarness.key(1)))
    #expect(try await other.read(BucketHarness.key(1)) == nil)
    await other.shutDown()
    await harness.stop()
  }

  @Test func keysAreSpread() throws {
    let bucket = try Bucket(
      endpoint: URL(string: "http://localhost:9000")!, region: "auto", name: "b", prefix: "a/b")
    let key = CacheKey("text")
    let digits = key.hexDigest
    let path = bucket.objectKey(key, in: .results)
    #expect(path == "a/b/v1/r/\(digits.prefix(2))/\(digits.dropFirst(2).prefix(2))/\(digits.dropFirst(4))")
    #expect(path.split(separator: "/").last?.utf8.count == 60)
  }

  @Test(arguments: [
    ("ftp://h", "r", "n", "p"), ("http://h/path", "r", "n", "p"), ("http://u:p@h", "r", "n", "p"),
    ("http://h", "", "n", "p"), ("http://h", "r\n", "n", "p"), ("http://h", "r", "", "p"),
    ("http://h", "r", "..", "p"),
    ("http://h", "r", "a/b", "p"), ("http://h", "r", "n", "/p"), ("http://h", "r", "n", "a//b"),
    ("http://h", "r", "n", "a/../b"), ("http://h", "r", "n", "ü"),
  ])
  func unusableBucketsAreRefused(_ endpoint: String, _ region: String, _ name: String, _ prefix: String) {
    #expect(throws: BucketError.self) {
      try Bucket(endpoint: URL(string: endpoint)!, region: region, name: name, prefix: prefix)
    }
  }

  @Test func hostsAreThoseThatAreSent() throws {
    func bucket(_ url: String, _ addressing: Bucket.Addressing) throws -> Bucket {
      try Bucket(endpoint: URL(string: url)!, region: "r", name: "n", addressing: addressing)
    }
    #expect(try bucket("https://S3.example:443", .path).host == "s3.example")
    #expect(try bucket("http://s3.example:443", .virtualHosted).host == "n.s3.example:443")
    #expect(try bucket("http://[::1]:9000", .path).host == "[::1]:9000")
    #expect(try bucket("http://h", .virtualHosted).basePath == "/")
  }

  /// 1,000 objects with one flipped bit, cut, of another key, or of another format: none is served, all are deleted.
  @Test func damagedObjectsAreNeverServed() async throws {
    let harness = try BucketHarness()
    let count = 1_000
    var generator = SeededGenerator(seed: 1)
    for number in 0..<count {
      try harness.plant(number) { object in
        switch number % 5 {
        case 0, 1:
          object[Int.random(in: 0..<object.count, using: &generator)] ^=
            1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: object = Data(object.prefix(Int.random(in: 0..<object.count, using: &generator)))
        case 3: object.append(0)
        default: break
        }
      }
    }
    // Every fifth has the record of the next fifth.
    let sound = harness.server.objects
    for number in stride(from: 4, to: count, by: 5) {
      harness.server[harness.path(number)] = sound[harness.path((number + 5) % count)]
    }
    let served = try await withThrowingTaskGroup(of: Int.self) { group in
      for part in 0..<8 {
        group.addTask {
          var served = 0
          for number in stride(from: part, to: count, by: 8) {
            if try await harness.cache.read(BucketHarness.key(number)) != nil { served += 1 }
          }
          return served
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(served == 0)
    try await harness.cache.flush()
    #expect(harness.cache.statistics.corrupted == count)
    #expect(harness.cache.statistics.deleted == count)
    #expect(harness.server.objects.isEmpty)
    #expect(harness.cache.statistics.breaker == .closed)
    await harness.stop()
  }

  /// Every bit and every length of one object.
  @Test func noDamageIsOverlooked() throws {
    let key = BucketHarness.key(1)
    let pieces = try PortableRecord.encode(
      BucketHarness.data(1, count: 60), metadata: BucketHarness.metadata(1), for: key, created: Date())
    let object = pieces.reduce(into: Data()) { $0 += $1 }
    #expect(try PortableRecord.decode(object, for: key).data == BucketHarness.data(1, count: 60))
    for bit in 0..<object.count * 8 {
      var damaged = object
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: PortableRecord.Damage.self) { try PortableRecord.decode(damaged, for: key) }
    }
    for count in 0..<object.count {
      #expect(throws: PortableRecord.Damage.self) {
        try PortableRecord.decode(object.prefix(count), for: key)
      }
    }
    #expect(throws: PortableRecord.Damage.key) { try PortableRecord.decode(object, for: CacheKey("image 2")) }
  }

  @Test func failuresCostOneReadEachUntilTheBreakerOpens() async throws {
    let harness = try BucketHarness()
    try harness.plant(1)
    harness.server.setFault { _ in .refuse(status: 503, code: "ServiceUnavailable") }
    for number in 0..<30 { #expect(try await harness.cache.read(BucketHarness.key(number)) == nil) }
    #expect(harness.server.counters.requests == ["GET": 10])
    #expect(harness.cache.statistics.failedReads == 10 && harness.cache.statistics.skippedReads == 20)
    #expect(harness.cache.statistics.breaker == .open)
    // One probe after 5 seconds, and one after 10 more.
    harness.time.advance(by: .seconds(5))
    for _ in 0..<3 { _ = try await harness.cache.read(BucketHarness.key(1)) }
    #expect(harness.server.counters.requests == ["GET": 11])
    harness.time.advance(by: .seconds(9))
    _ = try await harness.cache.read(BucketHarness.key(1))
    #expect(harness.server.counters.requests == ["GET": 11])
    harness.server.setFault(nil)
    harness.time.advance(by: .seconds(1))
    #expect(try await harness.cache.read(BucketHarness.key(1)) != nil)
    #expect(harness.cache.statistics.breaker == .closed)
    await harness.stop()
  }

  @Test(arguments: [
    BucketFault.reset, .close, .cut(after: 100), .hang, .drip(every: .milliseconds(20)), .flip(bit: 4_000),
    .replace(Data("<html>".utf8)), .refuse(status: 500, code: "InternalError"),
    .refuse(status: 403, code: "AccessDenied"), .refuse(status: 301, code: "PermanentRedirect"),
  ])
  func everyFaultIsAMiss(_ fault: BucketFault) async throws {
    let harness = try BucketHarness(readDeadline: fault == .hang ? .milliseconds(50) : .seconds(60))
    try harness.plant(1)
    harness.server.setFault { $0.method == "GET" ? fault : nil }
    #expect(try await harness.cache.read(BucketHarness.key(1)) == nil)
    #expect(harness.cache.statistics.hits == 0)
    harness.server.setFault(nil)
    await harness.stop()
  }

  @Test func aWrongClockIsLearnedOnce() async throws {
    let harness = try BucketHarness()
    for number in 0..<3 { try harness.plant(number) }
    harness.server.setClockOffset(3_600)
    for number in 0..<3 { #expect(try await harness.cache.read(BucketHarness.key(number)) != nil) }
    #expect(harness.server.counters.refusals == ["RequestTimeTooSkewed": 1])
    #expect(abs(harness.cache.statistics.clockOffset - 3_600) <= 1)
    // A server that refuses every time is asked twice at most.
    harness.server.setFault { _ in .refuse(status: 403, code: "RequestTimeTooSkewed") }
    let before = harness.server.counters.requests["GET"] ?? 0
    #expect(try await harness.cache.read(BucketHarness.key(0)) == nil)
    #expect((harness.server.counters.requests["GET"] ?? 0) - before == 1)
    await harness.stop()
  }

  @Test func wrongKeysShowNoSecrets() async throws {
    let harness = try BucketHarness()
    let keys = try BucketKeys(accessKey: harness.server.accessKey, secretKey: "wrongsecret")
    let cache = BucketCache(
      harness.cache.bucket, credentials: .keys(keys), configuration: harness.cache.configuration,
      now: { harness.time.date }, clock: harness.time.clock)
    try harness.plant(1)
    #expect(try await cache.read(BucketHarness.key(1)) == nil)
    #expect(harness.server.counters.refusals == ["SignatureDoesNotMatch": 1])
    let failure = try #require(cache.statistics.lastFailure)
    #expect(failure.description.contains("SignatureDoesNotMatch"))
    var dumped = ""
    dump(cache.statistics, to: &dumped)
    #expect(!dumped.contains("wrongsecret") && !dumped.contains(harness.server.accessKey))
    await cache.shutDown()
    await harness.stop()
  }

  @Test func cancelledReadsSayNothingAboutTheBucket() async throws {
    let harness = try BucketHarness()
    harness.server.setFault { _ in .hang }
    let cache = harness.cache
    let read = Task { try await cache.read(BucketHarness.key(1)) }
    try await eventually { harness.server.counters.requests["GET"] == 1 }
    read.cancel()
    await #expect(throws: CachingError.cancelled) { try await read.value }
    #expect(cache.statistics.failedReads == 0)
    await harness.stop()
  }

  @Test func conditionsAreProbed() async throws {
    let harness = try BucketHarness()
    #expect(try await harness.cache.supportsConditionalWrites())
    #expect(harness.server.objects.isEmpty)
    for conditions in [ScriptedBucket.Conditions.ignored, .refused] {
      harness.server.setConditions(conditions)
      #expect(try await !harness.cache.supportsConditionalWrites())
    }
    await harness.stop()
  }

  @Test func listsPageByPage() async throws {
    let harness = try BucketHarness()
    for number in 0..<25 { harness.server["calotype/v1/log/\(100 + number)"] = Data(count: number) }
    harness.server["calotype/v1/other"] = Data()
    var keys: [String] = []
    var start: String? = "calotype/v1/log/104"
    repeat {
      let page = try await harness.cache.client.list("calotype/v1/log/", after: start, limit: 7)
      keys += page.objects.map(\.key)
      start = page.isTruncated ? page.objects.last?.key : nil
    } while start != nil
    #expect(keys == (105..<125).map { "calotype/v1/log/\($0)" })
    await harness.stop()
  }

  @Test func partsOfObjects() async throws {
    let harness = try BucketHarness()
    harness.server["k"] = Data(0..<100)
    let answer = try await harness.cache.client.get("k", range: 10...19, byteLimit: 100)
    #expect(answer?.body == Data(10..<20))
    await #expect(throws: BucketError.self) { _ = try await harness.cache.client.get("k", byteLimit: 99) }
    await harness.stop()
  }
}
