import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import Synchronization

/// What the jobs of a pipeline work with. Nothing here is isolated: jobs run on any thread, and the pipeline's actor decides
/// about its life cycle alone.
final class PipelineContext: Sendable {
  let configuration: ImagePipeline.Configuration
  let jobs: JobRegistry
  let counters = PipelineCounters()
  let workers: WorkerExecutor
  /// Those that encode what is stored.
  let storeWorkers: WorkerExecutor
  let memory: ImagePipeline.Memory
  /// Loads from somewhere: so many at a time, and so many of one origin.
  let loads: WorkQueue
  /// Loads of what is on this machine.
  let localLoads: WorkQueue
  /// Records that are read and whose bytes are not reserved yet.
  let reads: WorkQueue
  let decodes: WorkQueue
  let transforms: WorkQueue
  let encodes: WorkQueue
  /// Results that are encoded, and what is written: apart, so that nobody waits for it.
  let stores: WorkQueue
  let arriving = StreamingDecoders()
  let storeTickets = PendingResultStores()
  let serviceTimes = Lock(ServiceTimeEstimator())
  let purges = Lock(PurgeLog())
  /// Time since the pipeline was made.
  let elapsed: @Sendable () -> Duration
  /// Of deadlines, and of loads that wait.
  let timer: ExpiryTimer
  /// Whoever is told what happens, if there is anybody.
  let watch: PipelineInstrumentation?
  /// Whether bytes at hand are served by the loader of this package, which has nothing to wait for.
  let servesBytesAtHand: Bool
  /// Of the loader, in keys.
  let scope: LoaderScope?
  private let reclaimers: [Int]

  init(_ configuration: ImagePipeline.Configuration) {
    self.configuration = configuration
    let limits = configuration.limits
    timer = ExpiryTimer(configuration.clock)
    let elapsed = timer.now
    self.elapsed = elapsed
    jobs = JobRegistry(jobLimit: limits.waitingRequests, callerLimit: limits.callers)
    // One for whatever has its turn: it holds what others wait for.
    workers = WorkerExecutor(
      name: "calotype-decode", threads: limits.decodes + limits.transforms + limits.encodes)
    storeWorkers = WorkerExecutor(name: "calotype-store", threads: limits.stores)
    memory = configuration.memory ?? ImagePipeline.Memory(limits: limits)
    loads = WorkQueue(
      limit: limits.loads, limitPerFlow: limits.loadsPerOrigin, waitingLimit: limits.waitingRequests,
      now: elapsed, timer: timer)
    localLoads = WorkQueue(limit: limits.loads, now: elapsed, timer: timer)
    reads = WorkQueue(limit: max(4, 2 * limits.decodes), now: elapsed)
    decodes = WorkQueue(limit: limits.decodes, memory: memory, now: elapsed)
    transforms = WorkQueue(limit: limits.transforms, now: elapsed)
    encodes = WorkQueue(limit: limits.encodes, now: elapsed)
    stores = WorkQueue(limit: limits.stores, waitingLimit: limits.waitingStores, now: elapsed)
    watch = PipelineInstrumentation(
      observers: configuration.observers, tracer: configuration.tracer, elapsed: elapsed)
    scope = LoaderScope(configuration.loader)
    servesBytesAtHand = configuration.loader.servesBytesAtHand && configuration.shouldLoad == nil
    let (arriving, storeTickets) = (arriving, storeTickets)
    reclaimers = [
      memory.addReclaimer(.arriving) { _ in arriving.giveUpAll() },
      memory.addReclaimer(.stores) { _ in storeTickets.withdrawAll() },
    ]
  }

  deinit {
    // The memory may be shared with pipelines that go on.
    for reclaimer in reclaimers { memory.stopTelling(reclaimer) }
  }
}

extension PipelineContext {
  /// Lets no load and no decode begin, or all again.
  var isSuspended: Bool {
    get { loads.isSuspended }
    set { for queue in [loads, localLoads, decodes] { queue.isSuspended = newValue } }
  }
}

extension ImageLoading {
  /// Whether bytes at hand are served by ``BytesLoader``.
  fileprivate var servesBytesAtHand: Bool {
    if self is BytesLoader { return true }
    let source = ImageSource.data(Data(), id: "")
    guard let group = self as? LoaderGroup, let loader = group.loaders.last(where: { $0.accepts(source) })
    else {
      return false
    }
    return loader.servesBytesAtHand
  }
}
