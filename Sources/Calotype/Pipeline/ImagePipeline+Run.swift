import CalotypeCaching

extension ImagePipeline {
  /// Runs the pipeline as a service until `end` returns, then shuts it down.
  ///
  /// Meanwhile the memory cache and ``Configuration/memoryPressureFollowers`` follow
  /// ``Configuration/memoryPressure``, and the observers get a sample every
  /// ``Configuration/sampleInterval``. Requests do not depend on it: a pipeline works without this call.
  /// Afterwards it calls ``shutDown(within:)``, with ``Configuration/drainDeadline``; cancelling the task
  /// does not shorten that.
  ///
  /// - Parameter end: Returns when the pipeline is to end, and when its task is cancelled.
  public nonisolated func run(until end: @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      if let source = configuration.memoryPressure {
        if let memory = configuration.caches.decoded?.memory { group.addTask { await memory.follow(source) } }
        if let memory = configuration.caches.encoded { group.addTask { await memory.follow(source) } }
        for follower in configuration.memoryPressureFollowers {
          group.addTask { await follower.follow(source) }
        }
      }
      if !configuration.observers.isEmpty {
        group.addTask { await self.keepSampling() }
      }
      await end()
      group.cancelAll()
    }
    await shutDown(within: configuration.drainDeadline)
  }
}
