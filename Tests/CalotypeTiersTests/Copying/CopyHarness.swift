import CalotypeCaching
import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import Foundation

@testable import CalotypeTiers

/// Two folders and a bucket, to copy between.
final class CopyHarness: Sendable {
  let time = ManualTime(Date(timeIntervalSince1970: 1_800_000_000))
  let server: ScriptedBucket
  let folder: TemporaryFolder

  init() throws {
    let time = time
    server = try ScriptedBucket(now: { time.date })
    folder = try TemporaryFolder()
  }

  func cache(_ name: String, byteLimit: Int = 1 << 30) -> DiskCache {
    let time = time
    return DiskCache(
      DiskCache.Configuration(
        folder: URL(filePath: folder.path(name), directoryHint: .isDirectory), byteLimit: byteLimit),
      now: { time.date })
  }

  func disk(_ name: String) -> FolderTier {
    let time = time
    return FolderTier(cache(name), now: { time.date })
  }

  func bucket(_ part: Bucket.Folder = .originals, prefix: String = "calotype", endpoint: URL? = nil) throws
    -> BucketTier
  {
    let time = time
    var connections = CurlLoader.Configuration(maxConcurrent: 24, maxConcurrentPerHost: 24)
    connections.proxy = .none
    return BucketTier(
      try Bucket(
        endpoint: endpoint ?? server.endpoint, region: server.region, name: server.name, prefix: prefix),
      credentials: .keys(try BucketKeys(accessKey: server.accessKey, secretKey: server.secretKey)),
      folder: part, connections: connections, limit: .seconds(60), now: { time.date }, random: { 0 })
  }

  func store(_ numbers: Range<Int>, in name: String, count: Int = 500) async throws {
    let cache = cache(name)
    for number in numbers {
      try await cache.store(
        BucketHarness.data(number, count: count), metadata: Self.metadata(number),
        for: BucketHarness.key(number))
    }
    try await cache.flush()
  }

  static func metadata(_ number: Int) -> RecordMetadata {
    var metadata = BucketHarness.metadata(number)
    metadata.position = number
    metadata.expires = Date(timeIntervalSince1970: 1_900_000_000 + Double(number))
    return metadata
  }

  /// Everything about the records of a folder but when they were read, and where they are.
  func list(_ name: String) async throws -> [String] {
    try await cache(name).entries().map {
      "\($0.key) \($0.source) \($0.metadata) \($0.created) \($0.dataLength)"
    }.sorted()
  }

  /// Copies, and counts the outcomes.
  func copy(
    _ source: any RecordTier, _ target: any RecordTier, _ selections: [CacheSelection] = [],
    isDryRun: Bool = false, transfers: Int = 8
  ) async throws -> [String: Int] {
    let counts = Lock<[String: Int]>([:])
    let time = time
    defer { last.withLock { $0 = counts.withLock { $0 } } }
    try await RecordCopy(
      from: source, to: target, selections: selections, isDryRun: isDryRun, transfers: transfers,
      now: { time.date }
    ).run { event in
      counts.withLock { $0[Self.name(event.outcome), default: 0] += 1 }
    }
    return counts.withLock { $0 }
  }

  /// The outcomes of the last copy, also of one that was given up.
  let last = Lock<[String: Int]>([:])

  private static func name(_ outcome: RecordCopy.Outcome) -> String {
    switch outcome {
    case .copied: "copied"
    case .failed: "failed"
    default: "\(outcome)"
    }
  }
}
