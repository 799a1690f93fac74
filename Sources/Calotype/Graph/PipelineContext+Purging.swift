import CalotypeCaching
import CalotypeSupport

extension PipelineContext {
  /// Runs `body`, which removes entries from the caches, so that they do not return: results of jobs begun
  /// before are neither stored nor joined by new requests, and no purged entry is read meanwhile.
  func purge(_ selection: PurgeLog.Selection, _ body: () async throws -> Void) async throws {
    let number = begin(selection)
    defer { purges.withLock { $0.end(number) } }
    try await body()
  }

  /// Runs `body`, which removes entries from memory, as ``purge(_:_:)`` does.
  func forget(_ selection: PurgeLog.Selection, _ body: () -> Void) {
    let number = begin(selection)
    body()
    purges.withLock { $0.end(number) }
  }

  private func begin(_ selection: PurgeLog.Selection) -> Int {
    let now = purges.withLock { $0.now }
    let isIdle = jobs.jobCount == 0
    let number = purges.withLock { log in
      // No work that began before then is in progress.
      if isIdle { log.forget(before: now) }
      return log.begin(selection)
    }
    jobs.detach { selection.mayContain($0.key) }
    return number
  }
}

extension PurgeLog.Selection {
  /// Returns whether a job of a key may be selected: its tags are unknown before it has ended.
  fileprivate func mayContain(_ key: CacheKey) -> Bool {
    if case .selection(.tag) = self { return true }
    return contains(key, tags: [])
  }
}
