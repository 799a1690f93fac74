import Calotype
import CalotypeCaching
import CalotypeLoading
import CalotypeSettings
import CalotypeTiers
import FoundationEssentials
public import ServiceLifecycle

/// The means that the nodes of a server share: a bucket for originals and results, Redis for the coordination of work, and a log
/// of purges in the bucket.
public final class SharedTiers: Service {
  /// Results; `nil` without a bucket.
  let results: BucketCache?
  /// Originals; `nil` without a bucket.
  let originals: BucketCache?
  /// Leases; `nil` without Redis.
  let flights: RedisCoordinator?
  /// Purges; `nil` without a bucket.
  let purges: PurgeLog?
  private let redis: RedisClient?

  /// Creates the means that settings name. Connects to Redis, and sends nothing to the bucket yet.
  ///
  /// - Throws: ``ServerStartError/unusableTier(_:)``.
  init(_ settings: Settings) throws(ServerStartError) {
    let cache = settings.cache
    do {
      let address = cache.redisURL.exposed
      if address.isEmpty {
        redis = nil
      } else {
        guard let url = URL(string: address) else {
          throw ServerStartError.unusableTier("REDIS_URL is no URL")
        }
        redis = try RedisClient(.init(url))
      }
      guard cache.storage == .s3 else {
        (results, originals, purges) = (nil, nil, nil)
        flights = redis.map { RedisCoordinator($0) }
        return
      }
      let service = BucketService(
        region: cache.s3.region, endpoint: cache.s3.endpoint, usesPathStyle: cache.s3.usesPathStyle,
        accessKeyID: cache.s3.accessKeyID, secretAccessKey: cache.s3.secretAccessKey,
        sessionToken: cache.s3.sessionToken)
      let bucket = try Bucket(
        endpoint: try service.url, region: service.signedRegion, name: cache.bucket,
        prefix: cache.pathPrefix.isEmpty ? "calotype" : cache.pathPrefix,
        addressing: service.addressing(of: cache.bucket))
      let credentials = try service.credentials
      results = BucketCache(bucket, credentials: credentials, configuration: .init(folder: .results))
      originals = BucketCache(bucket, credentials: credentials, configuration: .init(folder: .originals))
      let position =
        cache.directory.isEmpty ? nil : URL(filePath: cache.directory).appending(path: "purge-position")
      let log = PurgeLog(
        storage: BucketPurgeStore(bucket, credentials: credentials),
        announcing: redis.map { RedisPurgeChannel($0) }, configuration: .init(positionFile: position))
      purges = log
      flights = redis.map { RedisCoordinator($0, position: { log.position }) }
    } catch let error as ServerStartError {
      throw error
    } catch {
      throw .unusableTier("\(error)")
    }
  }

  /// Reads the log of purges. Until that succeeds, cached results and originals count as stale.
  func start() async {
    // The log is read again while the server runs.
    try? await purges?.start()
  }

  /// Applies the purges of other nodes until the task is cancelled or the process shuts down; then writes what is queued.
  public func run() async throws {
    if let purges {
      await cancelWhenGracefulShutdown { await purges.run() }
    } else {
      try? await gracefulShutdown()
    }
    for cache in [results, originals] { try? await cache?.flush() }
    redis?.close()
  }

  /// The loader of `s3://`; `nil` if the settings do not have it.
  ///
  /// - Throws: ``ServerStartError/unusableTier(_:)``.
  static func loader(_ settings: Settings) throws(ServerStartError) -> BucketLoader? {
    let sources = settings.sources
    guard sources.usesS3 else { return nil }
    let service = BucketService(
      region: sources.s3.region, endpoint: sources.s3.endpoint, usesPathStyle: sources.s3.usesPathStyle,
      accessKeyID: sources.s3.accessKeyID, secretAccessKey: sources.s3.secretAccessKey,
      sessionToken: sources.s3.sessionToken)
    var configuration = BucketLoader.Configuration(endpoint: try service.url, region: service.signedRegion)
    configuration.addressing = service.addressing(of: "")
    configuration.allowedBuckets = Set(sources.s3AllowedBuckets)
    configuration.deniedBuckets = Set(sources.s3DeniedBuckets)
    configuration.connections.maxConcurrent = settings.concurrency.downloads
    configuration.connections.maxConcurrentPerHost = settings.concurrency.downloadsPerHost
    do {
      for pair in sources.s3BucketCredentials.exposed {
        // The settings were checked: there is a colon.
        let parts = pair.value.split(separator: ":", maxSplits: 1).map(String.init)
        configuration.credentials[pair.name] = .keys(
          try BucketKeys(accessKey: parts[0], secretKey: parts.dropFirst().first ?? ""))
      }
      return try BucketLoader(configuration, credentials: service.credentials)
    } catch {
      throw .unusableTier("S3_ENDPOINT or S3_REGION: \(error)")
    }
  }
}
