import CalotypeCaching
import CalotypeSupport

extension ImagePipeline {

  /// The counters, and the present activity. Read from any thread, one figure after the other.
  public nonisolated var statistics: Statistics {
    var statistics = context.counters.snapshot
    let jobs = context.jobs
    statistics.runningImageJobs = jobs.images.count
    statistics.runningSourceJobs = jobs.originals.count + jobs.loads.count
    statistics.requests = jobs.requestCount
    let decodes = context.decodes.statistics
    statistics.waitingDecodes = decodes.waiting
    statistics.runningDecodes = decodes.running
    let (loads, localLoads) = (context.loads.statistics, context.localLoads.statistics)
    let memory = context.memory.statistics
    statistics.waitingLoads = loads.waiting + localLoads.waiting + memory.waiting
    statistics.runningLoads = loads.running + localLoads.running
    statistics.refusedRequests = jobs.refused + loads.refused
    statistics.waitingEncodes = context.encodes.statistics.waiting
    statistics.waitingStores = context.stores.statistics.waiting
    statistics.decodedBytes = memory.decodedBytes
    statistics.peakDecodedBytes = context.memory.peak(of: .decoded)
    statistics.encodedBytes = memory.encodedBytes
    statistics.peakEncodedBytes = context.memory.peak(of: .encoded)
    statistics.arrivingBytes = memory.arrivingBytes
    statistics.storeBytes = memory.storeBytes
    statistics.heldBytes = memory.bytes
    statistics.peakHeldBytes = memory.peakBytes
    statistics.sandbox = configuration.sandbox?.statistics
    return statistics
  }

  /// Waits until the running jobs have ended and their results are in the caches.
  ///
  /// Callers get an image before it is written to disk; call this before the process ends.
  public func flush() async {
    await context.jobs.settle()
  }
}
