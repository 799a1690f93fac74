import CalotypeCaching
import CalotypeLoading
import CalotypeTestKit
import Foundation
import Testing

@testable import CalotypeTiers

/// The log of purges in a bucket.
@Suite struct BucketPurgeStoreTests {
  private let server: ScriptedBucket

  init() throws { server = try ScriptedBucket() }

  private func store() throws -> BucketPurgeStore {
    var connections = CurlLoader.Configuration()
    connections.proxy = .none
    return BucketPurgeStore(
      try Bucket(endpoint: server.endpoint, region: server.region, name: server.name),
      credentials: .keys(try BucketKeys(accessKey: server.accessKey, secretKey: server.secretKey)),
      connections: connections)
  }

  @Test func entriesAreWrittenOnceAndListedInOrder() async throws {
    let store = try store()
    #expect(try await store.supportsConditionalWrites())
    for number in [2, 10, 1] { #expect(try await store.put(Data("\(number)".utf8), at: number)) }
    #expect(try await !store.put(Data("other".utf8), at: 2))
    #expect(try await store.numbers(after: 0) == [1, 2, 10])
    #expect(try await store.numbers(after: 2) == [10])
    #expect(try await store.entry(at: 2) == Data("2".utf8))
    #expect(try await store.entry(at: 3) == nil)
    await #expect(throws: CachingError.recordTooLarge(bytes: (64 << 10) + 1, limit: 64 << 10)) {
      try await store.put(Data(count: (64 << 10) + 1), at: 11)
    }
    #expect(server.objects.keys.contains("calotype/v1/log/00000000000000000010"))
  }

  @Test func theNewestSnapshotCounts() async throws {
    let store = try store()
    #expect(try await store.newestSnapshot() == nil)
    for number in [5, 1_000, 20] { try await store.putSnapshot(Data("\(number)".utf8), at: number) }
    server["calotype/v1/log-snapshot/none"] = Data()
    let newest = try await store.newestSnapshot()
    #expect(newest?.number == 1_000 && newest?.bytes == Data("1000".utf8))
  }

  @Test func nodesShareALog() async throws {
    let logs = (PurgeLog(storage: try store()), PurgeLog(storage: try store()))
    try await logs.0.start()
    try await logs.1.start()
    #expect(try await logs.0.append(SharedPurge(.selection(.tag("a")), mode: .gone)) == 1)
    // The other has not heard of it, and its number is taken.
    #expect(try await logs.1.append(SharedPurge(.all, mode: .stale)) == 2)
    #expect(logs.1.verdict(source: "s", tags: ["a"], at: 0) == .gone)
    #expect(logs.1.verdict(source: "s", tags: [], at: 0) == .stale)
    try await logs.0.start()
    #expect(logs.0.position == 2)
  }

  @Test func failuresAreTyped() async throws {
    let store = try store()
    server.setFault { _ in .refuse(status: 503, code: "SlowDown") }
    await #expect {
      try await store.numbers(after: 0)
    } throws: { error in
      guard case .failed(_, _, isRetryable: true) = error as? CachingError else { return false }
      return true
    }
  }
}
