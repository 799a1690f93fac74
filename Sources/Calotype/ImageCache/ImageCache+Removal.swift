public import CalotypeCaching
import CalotypeSupport

extension ImageCache {
  /// Removes the image of a key, in all sizes. Images in read-only caches remain.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: `CachingError`; memory is cleared nevertheless.
  @discardableResult
  public func remove(_ key: String, from tiers: Tiers = .all) async throws -> Bool {
    let key = keys.key(key)
    return try await queries.counting {
      try await change(key) {
        var count = 0
        if tiers.contains(.memory) { count += memory?.removeAll(.source(key.source)) ?? 0 }
        guard tiers.contains(.disk), let disk = writableDisk else { return count > 0 }
        await migrated()
        return try await disk.remove(key) || count > 0
      }
    }
  }

  /// Removes all images that were stored with a tag.
  ///
  /// - Returns: The number of removed entries of both tiers, each size in memory counting as one.
  /// - Throws: `CachingError`; memory is cleared nevertheless.
  /// - Complexity: Reads the headers of a thirtieth of all records.
  @discardableResult
  public func removeAll(tag: String, from tiers: Tiers = .all) async throws -> Int {
    try await removeAll(.tag(keys.tag(tag)), from: tiers)
  }

  /// Removes all images of this cache, and of others with its name and folder. Images of other names and of pipelines
  /// remain.
  ///
  /// - Returns: The number of removed entries of both tiers, each size in memory counting as one.
  /// - Throws: `CachingError`; memory is cleared nevertheless.
  /// - Complexity: Reads the headers of all records.
  @discardableResult
  public func removeAll(from tiers: Tiers = .all) async throws -> Int {
    try await removeAll(keys.all, from: tiers)
  }

  private func removeAll(_ selection: CacheSelection, from tiers: Tiers) async throws -> Int {
    try await queries.counting {
      try await queries.changing(.all) {
        var count = tiers.contains(.memory) ? memory?.removeAll(selection) ?? 0 : 0
        guard tiers.contains(.disk), let disk = writableDisk else { return count }
        await migrated()
        count += try await disk.removeAll(selection)
        // Images that were stored meanwhile, and whose records have been removed.
        if tiers.contains(.memory) { count += memory?.removeAll(selection) ?? 0 }
        return count
      }
    }
  }

  /// Removes expired images from memory; from disk, also all that exceeds its limits (`DiskCache.trim()`). Both tiers do
  /// that by themselves now and then.
  ///
  /// - Returns: The result for the disk; `nil` if that is no `DiskCache`.
  /// - Throws: `CachingError`.
  @discardableResult
  public func trim() async throws -> DiskCache.TrimReport? {
    await memory?.removeExpired()
    await migrated()
    return try await diskCache?.trim()
  }
}
