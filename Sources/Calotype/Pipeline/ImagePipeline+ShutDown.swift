import CalotypeCaching
import Synchronization

/// The end of a pipeline.
extension ImagePipeline {
  /// Rejects new requests, lets running ones end, aborts the rest after a while, and flushes the caches.
  ///
  /// New requests fail with ``PipelineError/shutDown`` at once, including those for images in memory; so do
  /// aborted ones. When this method returns, no request is in progress: everything is stored and survives a
  /// power loss, or a cache has failed, or had no time left, and the failure was counted. The method waits
  /// for loaders and coders to respond to cancellation; the flush ends with the limit, but operations in
  /// progress continue.
  ///
  /// May be called again, and by several tasks at a time: the shortest limit applies. Cancelling the task
  /// has no effect; ``invalidate()`` shortens the shutdown. Requests that wait because the pipeline is
  /// suspended continue to wait.
  ///
  /// - Parameter limit: The time limit. A fifth of it, at most 2 s, is reserved for the caches, in addition
  ///   to the time that the requests leave.
  public func shutDown(within limit: Duration) async {
    close()
    // Not part of the calling task, whose cancellation says nothing about the callers that wait for images.
    await Task { await drain(within: limit) }.value
  }

  /// Rejects new requests and aborts the running ones: all fail with ``PipelineError/shutDown``. Does not
  /// wait; ``shutDown(within:)`` does, afterwards too.
  public func invalidate() {
    close()
    abortJobs()
  }

  /// Cancels all running and waiting work: all callers get `CancellationError`. The pipeline accepts new
  /// requests.
  public nonisolated func cancelAll() {
    context.jobs.cancelAll()
  }

  private func close() {
    context.jobs.close(.shutDown)
    // A lookup of an image in memory does not consult the jobs.
    isClosed.store(true, ordering: .relaxed)
    isPlain.store(false, ordering: .relaxed)
  }

  private func drain(within limit: Duration) async {
    let clock = configuration.clock
    let context = context
    let start = context.elapsed()
    // Reserves time for the caches, in case the requests need all the rest.
    let requestLimit = limit - min(limit / 5, .seconds(2))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await clock.sleep(for: requestLimit, tolerance: nil)
        } catch {
          // All work has ended before.
          return
        }
        context.jobs.abort(.shutDown)
      }
      // Ending jobs may have begun others.
      while context.jobs.isBusy { await context.jobs.settle() }
      group.cancelAll()
    }
    // No work is left; some subscribers may not have taken their endings yet.
    context.jobs.abort(.shutDown)
    await context.jobs.idle()
    await flushCaches(within: limit - (context.elapsed() - start), of: limit)
  }

  private func abortJobs() {
    context.jobs.abort(.shutDown)
  }

  /// Flushes the caches within the remaining time: an unresponsive device must not prevent a program from
  /// ending.
  private func flushCaches(within rest: Duration, of limit: Duration) async {
    let (clock, counters) = (configuration.clock, context.counters)
    let caches = [configuration.caches.disk, configuration.caches.originals].compactMap { $0?.writable }
    guard !caches.isEmpty else { return }
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for cache in caches {
          do {
            try await cache.flush()
          } catch {
            counters.count(cacheError: error)
          }
        }
        return true
      }
      group.addTask {
        do {
          try await clock.sleep(for: rest, tolerance: nil)
        } catch {
          return true
        }
        return false
      }
      // The first to end; the other one is cancelled.
      let isFlushed = await group.next() ?? true
      group.cancelAll()
      guard !isFlushed else { return }
      counters.count(cacheError: CachingError.stalled(operation: "flush", path: "the caches", after: limit))
    }
  }
}
