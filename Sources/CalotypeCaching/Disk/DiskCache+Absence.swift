extension DiskCache {
  /// Whether it is certain that there is no record of a key, by what is in memory. Costs a look-up.
  package nonisolated func isKnownAbsent(_ key: CacheKey) -> Bool {
    staging.newest(key.digest) == nil && index.isAbsent(key.digest)
  }
}
