import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import Synchronization

/// The shared state of a pipeline's jobs. Not isolated: jobs run on any thread, and the pipeline's actor
/// only manages its life cycle.
final class PipelineContext: Sendable {
  let configuration: ImagePipeline.Configuration
  let jobs: JobRegistry
  let counters = PipelineCounters()
  let workers: WorkerExecutor
  /// The threads that encode results for storing.
  let storeWorkers: WorkerExecutor
  let memory: ImagePipeline.Memory
  /// Remote loads, limited in total and per origin.
  let loads: WorkQueue
  /// Loads from this machine.
  let localLoads: WorkQueue
  /// Reads of records whose bytes are not reserved yet.
  let reads: WorkQueue
  let decodes: WorkQueue
  let transforms: WorkQueue
  let encodes: WorkQueue
  /// Encoding and writing of results: a separate queue, so that no other work waits for it.
  let stores: WorkQueue
  let arriving = StreamingDecoders()
  let storeTickets = PendingResultStores()
  let sharedImages = SharedImages()
  let serviceTimes = Lock(ServiceTimeEstimator())
  let purges = Lock(PurgeLog())
  /// The headers that calls have asked for.
  let headers = MemoryCache<InfoResponse>(byteLimit: 4 << 20)
  /// The time since the pipeline was created.
  let elapsed: @Sendable () -> Duration
  /// The timer for deadlines and waiting loads.
  let timer: ExpiryTimer
  /// The instrumentation, if there are observers or a tracer.
  let watch: PipelineInstrumentation?
  /// Whether bytes at hand are served by this package's loader, which never waits.
  let servesBytesAtHand: Bool
  /// The scope of requests in keys.
  let scope: PipelineScope?
  private let reclaimers: [Int]
  /// Tells of purges that other nodes made.
  private let purgeObservation = Lock<PurgeObservation?>(nil)

  init(_ configuration: ImagePipeline.Configuration) {
    let configuration = configuration.isolated
    self.configuration = configuration
    let limits = configuration.limits
    timer = ExpiryTimer(configuration.clock)
    let elapsed = timer.now
    self.elapsed = elapsed
    jobs = JobRegistry(jobLimit: limits.waitingRequests, callerLimit: limits.callers)
    // One executor for all work that has a turn, because that work holds memory that other work waits for.
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
    scope = PipelineScope(
      loader: configuration.loader, coders: configuration.coders, accept: configuration.accept)
    servesBytesAtHand = configuration.loader.servesBytesAtHand && configuration.shouldLoad == nil
    let (arriving, storeTickets) = (arriving, storeTickets)
    reclaimers = [
      memory.addReclaimer(.arriving) { _ in arriving.giveUpAll() },
      memory.addReclaimer(.stores) { _ in storeTickets.withdrawAll() },
    ]
    let observation = configuration.nodes.purges?.observe { [weak self] in self?.apply($0) }
    purgeObservation.withLock { $0 = observation }
  }

  deinit {
    // The memory may be shared with pipelines that continue.
    for reclaimer in reclaimers { memory.stopTelling(reclaimer) }
  }
}

extension PipelineContext {
  /// Whether loads and decodes are prevented from beginning.
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
