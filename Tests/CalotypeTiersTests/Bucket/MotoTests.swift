import CalotypeCaching
import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import Foundation
import HelperPrograms
import Glibc
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Round trips to another implementation: moto, where it is installed.
@Suite("Buckets of moto", .enabled(if: MotoServer.path != nil), .timeLimit(.minutes(5)))
struct MotoTests {
  @Test func roundTrips() async throws {
    let moto = try #require(MotoServer())
    let bucket = try Bucket(
      endpoint: try #require(URL(string: "http://127.0.0.1:\(moto.port)")), region: "us-east-1",
      name: "images")
    let credentials = BucketCredentials.keys(try BucketKeys(accessKey: "AKIDEXAMPLE", secretKey: "secret"))
    var configuration = BucketCache.Configuration(folder: .results)
    configuration.readDeadline = .seconds(60)
    configuration.connections.proxy = .none
    let cache = BucketCache(bucket, credentials: credentials, configuration: configuration)
    // It listens after a while, and tells nobody.
    try await eventually {
      (try? await cache.client.send(BucketCall(method: .put, key: nil)))?.isSuccess == true
    }
    for number in 0..<5 {
      try await cache.store(
        BucketHarness.data(number, count: number * 40_000), metadata: BucketHarness.metadata(number),
        for: BucketHarness.key(number))
    }
    try await cache.flush()
    #expect(cache.statistics.stored == 5 && cache.statistics.failedWrites == 0)
    for number in 0..<5 {
      let record = try await cache.read(BucketHarness.key(number))
      #expect(record?.data == BucketHarness.data(number, count: number * 40_000))
      #expect(record?.metadata == BucketHarness.metadata(number))
    }
    #expect(try await cache.read(BucketHarness.key(9)) == nil)
    #expect(try await cache.contains(BucketHarness.key(1)))
    #expect(try await cache.supportsConditionalWrites())
    let page = try await cache.client.list("calotype/v1/r/", limit: 3)
    #expect(page.objects.count == 3 && page.isTruncated)
    let rest = try await cache.client.list("calotype/v1/r/", after: page.objects.last?.key)
    #expect(rest.objects.count == 2 && !rest.isTruncated)
    let part = try await cache.client.get(page.objects[0].key, range: 0...7, byteLimit: 100)
    #expect(part?.body == Data("CALOTYPE".utf8))
    #expect(try await cache.client.head(page.objects[0].key)?[.amzMetaCalotype] == "2")
    #expect(try await cache.remove(BucketHarness.key(1)))
    #expect(try await !cache.contains(BucketHarness.key(1)))
    // Eight writers of one new key: one wins.
    let client = cache.client
    let written = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await client.put("race", [Data("\(number)".utf8)], contentType: "text/plain", if: .absent)
            == .written
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(written == 1)
    await cache.shutDown()
    // It checks no hash, and passes all other probes.
    let verdicts = Lock<[String: TierFinding.Verdict]>([:])
    await BucketCheck(bucket, credentials: credentials, connections: configuration.connections).run {
      finding in
      verdicts.withLock { $0[finding.probe] = finding.verdict }
    }
    let imperfect = verdicts.withLock { $0.filter { $0.value != .ok } }
    #expect(imperfect == ["payloadHash": .cannot])
    let tiers = [Bucket.Folder.results, .originals].map {
      BucketTier(bucket, credentials: credentials, folder: $0, connections: configuration.connections)
    }
    let copied = Lock(0)
    try await RecordCopy(from: tiers[0], to: tiers[1]).run { event in
      if case .copied = event.outcome { copied.withLock { $0 += 1 } }
    }
    #expect(copied.withLock { $0 } == 4)
  }
}

/// A moto server in a process of its own.
private final class MotoServer {
  let port: Int
  private let process: pid_t

  /// Where it is installed, if it is.
  static var path: String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/moto_server" }.first { access($0, X_OK) == 0 }
  }

  init?() {
    guard let path = Self.path, let server = try? ScriptedHTTPServer() else { return nil }
    // A port that was free a moment ago.
    port = server.port
    server.stop()
    guard let process = try? Child.startSilently(path, ["-H", "127.0.0.1", "-p", "\(port)"]) else {
      return nil
    }
    self.process = process
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
