public import CalotypeCaching

extension ImagePipeline.Cache {
  /// Purges the entries of a selection at all nodes that share a log of purges (``ImagePipeline/Nodes/purges``), in all
  /// tiers: in memory, on disk, and in a shared cache.
  ///
  /// With `SharedPurge.Mode.stale`, the next request is served the old image while the new one is loaded, and no request
  /// waits; with `SharedPurge.Mode.gone`, the old image is never served again. In both cases the origin is asked for the whole
  /// image. Records are not deleted: they are not used, and go when they expire or make room. The call returns when the log
  /// has the purge, however many records it concerns; other nodes apply it when they hear of it.
  ///
  /// Without a log, the entries are removed from the caches of this pipeline, as by ``removeAll(_:)``, in both modes.
  ///
  /// ```swift
  /// try await pipeline.cache.purge(.tag("product-17"))
  /// ```
  ///
  /// - Parameters:
  ///   - selection: The entries, by source, tag, host or origin.
  ///   - mode: The treatment of purged entries.
  /// - Throws: `CachingError.failed` if the log cannot be reached: nothing was purged. Without a log, the errors of
  ///   ``removeAll(_:)``.
  public func purge(_ selection: CacheSelection, mode: SharedPurge.Mode = .stale) async throws {
    guard let log = pipeline.configuration.nodes.purges else {
      try await removeAll(selection)
      return
    }
    let purge = SharedPurge(
      .selection(selection.withoutUsers), mode: mode, time: pipeline.configuration.now())
    _ = try await log.append(purge)
    // The log tells of the entries of other nodes alone.
    pipeline.context.apply([purge])
    try await pipeline.configuration.loader.removeParts()
  }

  /// Purges all entries at all nodes that share a log of purges, as ``purge(_:mode:)`` does.
  ///
  /// - Throws: As ``purge(_:mode:)``.
  public func purgeAll(mode: SharedPurge.Mode = .stale) async throws {
    guard let log = pipeline.configuration.nodes.purges else { return try await removeAll() }
    let purge = SharedPurge(.all, mode: mode, time: pipeline.configuration.now())
    _ = try await log.append(purge)
    pipeline.context.apply([purge])
    try await pipeline.configuration.loader.removeParts()
  }
}
