import CalotypeCaching
import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import Foundation

@testable import CalotypeTiers

/// A cache over a scripted bucket, with a time that the test moves.
final class BucketHarness: Sendable {
  let server: ScriptedBucket
  let cache: BucketCache
  let time = ManualTime()

  /// - Parameters:
  ///   - readDeadline: Long by default, because the machine may be busy.
  ///   - sessionToken: A token that the server demands.
  init(
    readDeadline: Duration = .seconds(60), sessionToken: String? = nil, random: Double = 0,
    change: (inout BucketCache.Configuration) -> Void = { _ in }
  ) throws {
    let time = self.time
    server = try ScriptedBucket(sessionToken: sessionToken, now: { time.date })
    let keys = try BucketKeys(
      accessKey: server.accessKey, secretKey: server.secretKey, sessionToken: sessionToken)
    var configuration = BucketCache.Configuration()
    configuration.readDeadline = readDeadline
    configuration.connections.proxy = .none
    change(&configuration)
    cache = BucketCache(
      try Bucket(endpoint: server.endpoint, region: server.region, name: server.name),
      credentials: .keys(keys), configuration: configuration, now: { time.date }, clock: time.clock,
      random: { random })
  }

  func stop() async {
    await cache.shutDown()
    server.stop()
  }

  static func key(_ number: Int) -> CacheKey {
    CacheKey("image \(number)", source: "https://example.org/\(number)")
  }

  static func data(_ number: Int, count: Int = 500) -> Data {
    var generator = SeededGenerator(seed: UInt64(number))
    return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  static func metadata(_ number: Int) -> RecordMetadata {
    RecordMetadata(contentType: "image/png", tags: ["tag \(number % 3)"], user: ["number": "\(number)"])
  }

  func path(_ number: Int) -> String { cache.bucket.objectKey(Self.key(number), in: .originals) }

  func store(_ number: Int, count: Int = 500) async throws {
    try await cache.store(
      Self.data(number, count: count), metadata: Self.metadata(number), for: Self.key(number))
  }

  /// Puts the object of a record into the bucket, changed.
  func plant(_ number: Int, _ change: (inout Data) -> Void = { _ in }) throws {
    let pieces = try PortableRecord.encode(
      Self.data(number), metadata: Self.metadata(number), for: Self.key(number), created: time.date)
    var object = pieces.reduce(into: Data()) { $0 += $1 }
    change(&object)
    server[path(number)] = object
  }
}
