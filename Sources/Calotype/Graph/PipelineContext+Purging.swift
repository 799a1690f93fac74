import CalotypeCaching
import CalotypeSupport

extension PipelineContext {
  /// Runs `body`, which takes something out of the caches, so that it does not come back: what was begun before is not kept
  /// any more, nor joined by new requests, and nothing of it is read meanwhile.
  func purge(_ selection: PurgeLog.Selection, _ body: () async throws -> Void) async throws {
    let now = purges.withLock { $0.now }
    let isIdle = jobs.jobCount == 0
    let number = purges.withLock { log in
      // Nothing is under way that was begun before then.
      if isIdle { log.forget(before: now) }
      return log.begin(selection)
    }
    let isMeant: (JobKey) -> Bool = { selection.mayContain($0.key) }
    jobs.images.detach(where: isMeant)
    jobs.originals.detach(where: isMeant)
    jobs.loads.detach(where: isMeant)
    defer { purges.withLock { $0.end(number) } }
    try await body()
  }
}

extension PurgeLog.Selection {
  /// Whether a job of a key may be taken in: of tags nothing is known before it has ended.
  fileprivate func mayContain(_ key: CacheKey) -> Bool {
    if case .selection(.tag) = self { return true }
    return contains(key, tags: [])
  }
}
