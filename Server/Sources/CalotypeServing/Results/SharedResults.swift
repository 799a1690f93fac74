import CalotypeCaching
import CalotypeTiers
import FoundationEssentials

/// The results that nodes share: small ones in Redis, if settings say so, and those that took long to make in a bucket.
struct SharedResults: Sendable {
  let small: RedisCache?
  let bucket: BucketCache

  /// Stores a result, as far as a tier takes it. It is written later.
  func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async {
    small?.storeLater(data, metadata: metadata, for: key)
    try? await bucket.store(data, metadata: metadata, for: key)
  }

  /// Returns whether a result is in one of the tiers after ``store(_:metadata:for:)``, as far as known.
  func has(_ result: StoredResult) -> Bool {
    let cost = result.makingTime ?? bucket.configuration.minimumCost
    return bucket.isAnswering && cost >= bucket.configuration.minimumCost
  }
}
