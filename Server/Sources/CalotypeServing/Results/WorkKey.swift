import CalotypeCaching

/// The name of work that equal requests share.
///
/// A request that follows a purge joins no work from before it, and one that passes over caches joins none that reads them.
struct WorkKey: Hashable, Sendable {
  /// The key of the result.
  let key: CacheKey
  /// The generation of purges in which the work begins.
  let generation: Int
  /// Whether caches are passed over.
  let reloads: Bool
}
