extension MemoryCache {
  /// Gives way while memory is short: does what a source says until the task is cancelled or the source ends.
  ///
  /// At ``MemoryPressure/Level/warning`` the limit is halved, at ``MemoryPressure/Level/critical`` everything is evicted
  /// and the limit is a quarter. When memory is no longer short, the limit grows by an eighth of the whole every five
  /// seconds. The limit also follows the memory that the source reports: the default one is computed anew, one that
  /// the program gave shrinks in proportion.
  ///
  /// Without this nothing is watched, and ``MemoryTier/Statistics/pressure`` is `nil`. One source at a time: of two,
  /// the last word counts.
  ///
  /// ```swift
  /// async let watch: Void = cache.follow(SystemMemoryPressure())
  /// ```
  public func follow(_ source: some MemoryPressureProviding) async {
    for await pressure in source.pressures() { table.apply(pressure) }
    table.apply(nil)
  }
}
