extension MemoryCache {
  /// Shrinks the cache under memory pressure, until the task is cancelled or the source ends.
  ///
  /// At ``MemoryPressure/Level/warning`` the limit is halved, at ``MemoryPressure/Level/critical`` everything is
  /// evicted and the limit is a quarter. Without pressure, the limit grows by an eighth of the whole every five
  /// seconds. The limit also follows the memory that the source reports: the default limit is computed anew, an
  /// explicit one shrinks in proportion.
  ///
  /// Without this call nothing is watched, and ``MemoryTier/Statistics/pressure`` is `nil`. Follow one source at a
  /// time: of two, the latest report counts.
  ///
  /// ```swift
  /// async let watch: Void = cache.follow(SystemMemoryPressure())
  /// ```
  public func follow(_ source: some MemoryPressureProviding) async {
    for await pressure in source.pressures() { table.apply(pressure) }
    table.apply(nil)
  }
}
