import CalotypeCaching
import Synchronization

/// The end of a pipeline.
extension ImagePipeline {
  /// Takes no more requests, lets those that run end, aborts those that have not after a while, and flushes the caches.
  ///
  /// New requests end with ``PipelineError/shutDown`` at once, those for images in memory included; so do the ones that
  /// are aborted. When this returns, nothing is being done any more: everything is stored and survives the machine losing its
  /// power, or a cache has failed and counted that. It waits for loaders and coders to notice that they are cancelled.
  ///
  /// May be called again, and by several tasks at a time: the shortest limit counts. Cancelling the task changes nothing;
  /// ``invalidate()`` shortens it. Requests that wait because the pipeline is suspended go on waiting.
  ///
  /// - Parameter limit: How long to let requests run.
  public func shutDown(within limit: Duration) async {
    close()
    // Not part of the calling task, which may have been cancelled: that says nothing about those who wait for images.
    await Task { await drain(within: limit) }.value
  }

  /// Takes no more requests and aborts those that run: all end with ``PipelineError/shutDown``. Does not wait for anything;
  /// ``shutDown(within:)`` does, afterwards too.
  public func invalidate() {
    close()
    abortJobs()
  }

  private func close() {
    context.jobs.close(.shutDown)
    // Who asks for an image in memory does not ask the jobs.
    isClosed.store(true, ordering: .relaxed)
    isPlain.store(false, ordering: .relaxed)
  }

  private func drain(within limit: Duration) async {
    let clock = configuration.clock
    let context = context
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await clock.sleep(for: limit, tolerance: nil)
        } catch {
          // Everything has ended before.
          return
        }
        context.jobs.abort(.shutDown)
      }
      // Those that end may have begun others.
      while context.jobs.isBusy { await context.jobs.settle() }
      group.cancelAll()
    }
    // Nothing is left to be done; some may not have taken their endings yet.
    context.jobs.abort(.shutDown)
    await context.jobs.idle()
    await flushCaches()
  }

  private func abortJobs() {
    context.jobs.abort(.shutDown)
  }

  private func flushCaches() async {
    for cache in [configuration.caches.disk, configuration.caches.originals] {
      do {
        try await cache?.writable?.flush()
      } catch {
        context.counters.count(cacheError: error)
      }
    }
  }
}
