import CalotypeCaching
import CalotypeLoading
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// The records that a bucket gets, and how long it keeps them.
@Suite("Records that a bucket gets", .timeLimit(.minutes(5)))
struct BucketSharingTests {
  @Test func resultsThatAreCheapToMakeAreNotShared() async throws {
    let harness = try BucketHarness {
      $0 = .init(folder: .results)
      $0.readDeadline = .seconds(60)
      $0.connections.proxy = .none
    }
    let costs: [Duration?] = [.zero, .microseconds(49_999), .milliseconds(50), .seconds(2), nil]
    for (number, cost) in costs.enumerated() {
      var metadata = BucketHarness.metadata(number)
      metadata.cost = cost
      try await harness.cache.store(
        BucketHarness.data(number), metadata: metadata, for: BucketHarness.key(number))
    }
    try await harness.cache.flush()
    #expect(harness.server.objects.count == 3)
    #expect(harness.cache.statistics.cheap == 2 && harness.cache.statistics.unshared == 0)
    for (number, cost) in costs.enumerated() {
      let record = try await harness.cache.read(BucketHarness.key(number))
      #expect((record == nil) == (number < 2))
      #expect(record == nil || record?.metadata.cost == cost)
    }
    await harness.stop()
  }

  @Test func defaults() {
    let results = BucketCache.Configuration(folder: .results)
    #expect(results.minimumCost == .milliseconds(50) && results.lifetime == .seconds(30 * 86_400))
    let originals = BucketCache.Configuration()
    #expect(originals.minimumCost == .zero && originals.lifetime == .seconds(90 * 86_400))
  }

  private static let day = Duration.seconds(86_400)

  /// A record that is read in the last third of its lifetime is written again, once, with the time at which it was made.
  @Test(arguments: [true, false]) func recordsAreRenewed(_ hasTime: Bool) async throws {
    let harness = try BucketHarness()
    let (key, cache, start) = (BucketHarness.key(1), harness.cache, harness.time.date)
    if hasTime {
      try await harness.store(1)
      try await cache.flush()
    } else {
      try harness.plant(1)
    }
    func writes() async throws -> Int {
      #expect(try await cache.read(key)?.created == start)
      try await cache.flush()
      return harness.server.counters.requests["PUT"] ?? 0
    }
    let before = try await writes()
    harness.time.advance(by: Self.day * 59)
    #expect(try await writes() == before)
    harness.time.advance(by: Self.day * 2)
    // One that may not be used is left to its end.
    #expect(try await cache.read(key) { _ in false } == nil)
    try await cache.flush()
    #expect(harness.server.counters.requests["PUT"] ?? 0 == before)
    #expect(try await writes() == before + 1)
    #expect(try await writes() == before + 1)
    #expect(cache.statistics.renewed == 1)
    harness.time.advance(by: Self.day * 61)
    #expect(try await writes() == before + 2)
    await harness.stop()
  }

  @Test func withoutALifetimeNothingIsRenewed() async throws {
    let harness = try BucketHarness { $0.lifetime = nil }
    try harness.plant(1)
    harness.time.advance(by: Self.day * 1_000)
    #expect(try await harness.cache.read(BucketHarness.key(1)) != nil)
    try await harness.cache.flush()
    #expect(harness.cache.statistics.renewed == 0)
    await harness.stop()
  }

  /// Leases for originals are pointless while nothing can be shared.
  @Test func aBucketThatFailsSaysSo() async throws {
    let harness = try BucketHarness()
    #expect(harness.cache.isAnswering)
    harness.server.setFault { _ in .refuse(status: 503, code: "SlowDown", retryAfter: nil) }
    for _ in 0..<10 {
      #expect(harness.cache.isAnswering)
      #expect(try await harness.cache.read(BucketHarness.key(1)) == nil)
    }
    #expect(!harness.cache.isAnswering)
    harness.server.setFault(nil)
    harness.time.advance(by: .seconds(6))
    // The next request finds out.
    #expect(!harness.cache.isAnswering)
    #expect(try await harness.cache.read(BucketHarness.key(1)) == nil)
    #expect(harness.cache.isAnswering)
    await harness.stop()
  }
}
