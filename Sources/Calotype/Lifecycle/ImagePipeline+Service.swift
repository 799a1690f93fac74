import CalotypeCaching
public import ServiceLifecycle

extension ImagePipeline: Service {
  /// Looks after the pipeline until graceful shutdown or until the task is cancelled, then shuts it down.
  ///
  /// Meanwhile the memory cache and ``FramePool/shared`` follow ``Configuration/memoryPressure``, and the observers get a
  /// sample every ``Configuration/sampleInterval``. Requests need none of that: a pipeline works as well without `run()`.
  /// Then it does what ``shutDown(within:)`` does, with ``Configuration/drainDeadline`` for limit; cancelling does not
  /// shorten that.
  public nonisolated func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      if let memory = configuration.caches.memory, let source = configuration.memoryPressure {
        group.addTask { await memory.follow(source) }
      }
      if let source = configuration.memoryPressure { group.addTask { await FramePool.shared.follow(source) } }
      if !configuration.observers.isEmpty {
        group.addTask { await self.keepSampling() }
      }
      // Being cancelled says the same.
      try? await gracefulShutdown()
      group.cancelAll()
    }
    await shutDown(within: configuration.drainDeadline)
  }
}
