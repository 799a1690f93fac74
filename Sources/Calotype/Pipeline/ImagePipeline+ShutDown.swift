import CalotypeCaching
import Synchronization

/// The end of a pipeline.
extension ImagePipeline {
  /// Takes no more requests, lets those that run end, aborts those that have not after a while, and flushes the caches.
  ///
  /// New requests end with ``PipelineError/shutDown`` at once, those for images in memory included; so do the ones that
  /// are aborted. When this returns, no request is being worked on any more: everything is stored and survives a loss
  /// of power, or a cache has failed, or had no time left, and that was counted. It waits for loaders and coders to
  /// notice that they are cancelled; the flush ends with the limit, and what it had begun goes on.
  ///
  /// May be called again, and by several tasks at a time: the shortest limit counts. Cancelling the task changes
  /// nothing; ``invalidate()`` shortens it. Requests that wait because the pipeline is suspended go on waiting.
  ///
  /// - Parameter limit: How long it may take. Of this a fifth, but no more than 2 s, is for the caches alone; what the
  ///   requests leave is for them too.
  public func shutDown(within limit: Duration) async {
    close()
    // Not part of the calling task, which may have been cancelled: that says nothing about those who wait for images.
    await Task { await drain(within: limit) }.value
  }

  /// Takes no more requests and aborts those that run: all end with ``PipelineError/shutDown``. Does not wait for
  /// anything; ``shutDown(within:)`` does, afterwards too.
  public func invalidate() {
    close()
    abortJobs()
  }

  /// Cancels everything that is being done or waits: all callers get `CancellationError`. The pipeline takes new requests.
  public nonisolated func cancelAll() {
    context.jobs.cancelAll()
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
    let start = context.elapsed()
    // Something is left for the caches, should the requests need all the rest.
    let requestLimit = limit - min(limit / 5, .seconds(2))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await clock.sleep(for: requestLimit, tolerance: nil)
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
    await flushCaches(within: limit - (context.elapsed() - start), of: limit)
  }

  private func abortJobs() {
    context.jobs.abort(.shutDown)
  }

  /// Flushes the caches, for as long as there is time: a device that does not answer must not keep a program from
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
      // The one that ends first; the other one is cancelled.
      let isFlushed = await group.next() ?? true
      group.cancelAll()
      guard !isFlushed else { return }
      counters.count(cacheError: CachingError.stalled(operation: "flush", path: "the caches", after: limit))
    }
  }
}
