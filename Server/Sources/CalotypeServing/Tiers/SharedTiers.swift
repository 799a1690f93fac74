import Calotype
import CalotypeCaching
import CalotypeLoading
import CalotypeSettings
import CalotypeTiers
import FoundationEssentials
public import ServiceLifecycle
import Synchronization

/// The means that the nodes of a server share: a bucket for originals and results, Redis for the coordination of work, and a log
/// of purges in the bucket.
public final class SharedTiers: Service {
  /// Results; `nil` without a bucket.
  let results: SharedResults?
  /// Originals; `nil` without a bucket.
  let originals: BucketCache?
  /// Leases; `nil` without Redis.
  let flights: RedisCoordinator?
  /// Purges; `nil` without a bucket.
  let purges: PurgeLog?
  private let redis: RedisClient?
  private let start = ContinuousClock.now
  private let refused = Mutex<String?>(nil)

  /// The time without a look into the log of purges after which this node may serve purged records.
  private static let longestLag = Duration.seconds(180)

  /// Creates the means that settings name. Connects to Redis, and sends nothing to the bucket yet.
  ///
  /// - Parameter patience: The time of reads, in place of the usual ones, for tests on busy machines.
  /// - Throws: ``ServerStartError/unusableTier(_:)``.
  init(_ settings: Settings, patience: Duration? = nil) throws(ServerStartError) {
    let cache = settings.cache
    do {
      let address = cache.redisURL.exposed
      if address.isEmpty {
        redis = nil
      } else {
        guard let url = URL(string: address) else {
          throw ServerStartError.unusableTier("REDIS_URL is no URL")
        }
        var configuration = try RedisClient.Configuration(url)
        if let patience { configuration.timeout = patience }
        redis = try RedisClient(configuration)
      }
      guard cache.storage == .s3 else {
        (results, originals, purges) = (nil, nil, nil)
        flights = redis.map { RedisCoordinator($0) }
        return
      }
      let service = BucketService(
        region: cache.s3.region, endpoint: cache.s3.endpoint, usesPathStyle: cache.s3.usesPathStyle,
        accessKeyID: cache.s3.accessKeyID, secretAccessKey: cache.s3.secretAccessKey,
        sessionToken: cache.s3.sessionToken, roleARN: cache.s3.roleARN,
        roleExternalID: cache.s3.roleExternalID)
      let bucket = try Bucket(
        endpoint: try service.url, region: service.signedRegion, name: cache.bucket,
        prefix: cache.pathPrefix.isEmpty ? "calotype" : cache.pathPrefix,
        addressing: service.addressing(of: cache.bucket))
      let credentials = try service.credentials
      var configuration = BucketCache.Configuration(folder: .results)
      configuration.minimumCost = cache.bucketMinimumCost
      var small = RedisCache.Configuration()
      small.lifetime = cache.redisLifetime
      var sources = BucketCache.Configuration(folder: .originals)
      if let patience {
        (configuration.readDeadline, sources.readDeadline, small.readTimeout) = (patience, patience, patience)
      }
      results = SharedResults(
        small: cache.redisLifetime > .zero ? redis.map { RedisCache($0, configuration: small) } : nil,
        bucket: BucketCache(bucket, credentials: credentials, configuration: configuration))
      originals = BucketCache(bucket, credentials: credentials, configuration: sources)
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
    do throws(CachingError) {
      try await purges?.start()
    } catch {
      // The log is read again while the server runs.
      guard case .failed(_, let reason, let isRetryable) = error, !isRetryable else { return }
      refused.withLock { $0 = reason }
    }
  }

  /// The reason why the bucket refused the first request to it, such as that it does not exist; `nil` if it did not.
  public var refusal: String? { refused.withLock { $0 } }

  /// Applies the purges of other nodes until the task is cancelled or the process shuts down; then writes what is queued.
  public func run() async throws {
    if let purges {
      await cancelWhenGracefulShutdown { await purges.run() }
    } else {
      try? await gracefulShutdown()
    }
    for cache in [results?.bucket, originals] { try? await cache?.flush() }
    redis?.close()
  }

  /// The parts that do not answer. The server works without them, at the price of work that other nodes have done.
  var faults: [String] {
    var faults: [String] = []
    if let redis, !redis.isConnected { faults.append("Redis") }
    if [results?.bucket, originals].contains(where: { $0?.isAnswering == false }) { faults.append("bucket") }
    if let purges = purgeFigures, !purges.isCurrent || purges.lag > Self.longestLag {
      faults.append("log of purges")
    }
    return faults
  }

  /// The activity of the caches that nodes share.
  var caches: [TierFigures.Cache] {
    var caches: [TierFigures.Cache] = []
    if let redis, let small = results?.small {
      caches.append(.init(small.statistics, isConnected: redis.isConnected))
    }
    if let results { caches.append(.init(results.bucket.statistics, of: .results)) }
    if let originals { caches.append(.init(originals.statistics, of: .sources)) }
    return caches
  }

  /// The state of the log of purges.
  var purgeFigures: TierFigures.Purges? {
    purges.map { log in
      TierFigures.Purges(
        position: log.position, isCurrent: log.isCurrent, lag: log.age ?? ContinuousClock.now - start,
        failedReads: log.statistics.failedPolls)
    }
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
      sessionToken: sources.s3.sessionToken, roleARN: sources.s3.roleARN,
      roleExternalID: sources.s3.roleExternalID)
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
