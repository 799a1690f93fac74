extension DiskCache {
  /// Returns whether the in-memory index proves that there is no record of a key. Costs a look-up.
  package nonisolated func isKnownAbsent(_ key: CacheKey) -> Bool {
    staging.newest(key.digest) == nil && index.isAbsent(key.digest)
  }
}
