import CalotypeSupport
public import FoundationEssentials

/// Fetches images into the caches of a pipeline before they are needed, a few at a time and with a lower
/// priority than current requests.
///
/// ```swift
/// let prefetcher = Prefetcher(pipeline)
/// for await progress in prefetcher.prefetch(requests) {
///   print("\(progress.finished) of \(progress.total)")
/// }
/// ```
///
/// Equal requests are fetched once, regardless of the calls they belong to, and cached images are skipped.
/// The pipeline coalesces a prefetch with other requests for the same image and raises its priority to
/// theirs. If a request arrives for an image that still waits in the prefetcher, the pipeline loads it at
/// once, and the prefetcher skips it when its turn comes.
///
/// No method suspends: work that is stopped right after its start is stopped as a whole. The requests run
/// in one task, which ends when there is nothing to do. Interceptors see a request when it is handed to the
/// pipeline.
public final class Prefetcher: Sendable {
  /// The destination of fetched images.
  public enum Destination: Hashable, Sendable {
    /// The decoded result, in memory and on disk, according to ``ImageRequest/storeTiers``.
    case memory
    /// The original, on disk only. Nothing is decoded.
    case disk
  }

  /// The pipeline that does the work.
  public let pipeline: ImagePipeline
  /// The destination of fetched images.
  public let destination: Destination

  private struct State {
    var books: PrefetchState
    var priority: ImageRequest.Priority
    /// Whether there is a task that runs the requests.
    var isSupervised = false
    /// The waiter of that task, while there is nothing to start.
    var idle: Waiter<Void>?
    /// The item that the task starts when it resumes.
    var next: PrefetchItem?
  }

  private let state: Lock<State>

  /// Creates a prefetcher. Several prefetchers of one pipeline are independent, but share its work.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline that does the work.
  ///   - destination: The destination of fetched images.
  ///   - concurrency: The number of images fetched at a time.
  ///   - priority: The priority of all requests, instead of ``ImageRequest/priority``.
  ///   - maxWaiting: The number of requests that may wait. Requests beyond it fail with
  ///     ``PipelineError/queueFull(_:limit:)``.
  public init(
    _ pipeline: ImagePipeline, destination: Destination = .memory, concurrency: Int = 3,
    priority: ImageRequest.Priority = .low, maxWaiting: Int = 10_000
  ) {
    self.pipeline = pipeline
    self.destination = destination
    let books = PrefetchState(limit: concurrency, maxWaiting: maxWaiting)
    state = Lock(State(books: books, priority: priority))
  }

  // MARK: Settings

  /// The number of images fetched at a time; at least one. It may be changed at any time and does not
  /// affect running requests.
  public var concurrency: Int {
    get { state.withLock { $0.books.limit } }
    set { change { $0.books.limit = max(1, newValue) } }
  }

  /// Whether no new requests are started. Running requests continue.
  public var isPaused: Bool {
    get { state.withLock { $0.books.isPaused } }
    set { change { $0.books.isPaused = newValue } }
  }

  /// The priority of all requests. It may be changed at any time and also affects running requests.
  public var priority: ImageRequest.Priority {
    get { state.withLock { $0.priority } }
    set {
      let running = state.withLock { state in
        state.priority = newValue
        return state.books.running
      }
      for item in running { follow(item) }
    }
  }

  /// The number of requests that wait for their turn.
  public var waitingCount: Int { state.withLock { $0.books.waitingCount } }

  /// The number of requests that are being fetched or cancelled.
  public var runningCount: Int { state.withLock { $0.books.runningCount } }

  // MARK: Work

  /// Starts fetching the images at URLs, upright and at full size.
  @discardableResult public func prefetch(_ urls: some Sequence<URL>) -> Prefetch {
    prefetch(urls.map { ImageRequest(url: $0) })
  }

  /// Starts fetching images, after the requests of earlier calls. The work continues until it has ended, or
  /// is cancelled by ``Prefetch/cancel()`` or ``stop()``.
  ///
  /// - Parameter requests: The requests; equal ones count once.
  @discardableResult public func prefetch(_ requests: some Sequence<ImageRequest>) -> Prefetch {
    var given: [ImageRequest: ImageRequest] = [:]
    var order: [ImageRequest] = []
    for request in requests {
      let prepared = pipeline.prefetched(request)
      if given.updateValue(request, forKey: prepared) == nil { order.append(prepared) }
    }
    let session = PrefetchSession(given) { [self] in withdraw($0) }
    var refused: [ImageRequest] = []
    var needsTask = false
    change { state in
      for request in order where !state.books.add(request, for: session) { refused.append(request) }
      needsTask = !state.isSupervised && !state.books.isEmpty
      if needsTask { state.isSupervised = true }
    }
    if needsTask {
      Task(priority: ImageRequest.Priority.low.taskPriority) { @concurrent in await supervise() }
    }
    for request in refused {
      let limit = state.withLock { $0.books.maxWaiting }
      session.end(request, .failed(PipelineError.queueFull(request.source.description, limit: limit)))
    }
    return Prefetch(session)
  }

  /// Cancels all prefetches started before.
  public func stop() {
    var (sessions, abandoned): ([PrefetchSession], [PrefetchItem]) = ([], [])
    change { (sessions, abandoned) = $0.books.removeAll() }
    for item in abandoned { item.cancel() }
    for session in sessions { session.endRest() }
  }

  /// Withdraws the requests that belong to this session alone.
  private func withdraw(_ session: PrefetchSession) {
    let requests = session.unended
    var abandoned: [PrefetchItem] = []
    change { abandoned = $0.books.remove(session, from: requests) }
    for item in abandoned { item.cancel() }
  }

  // MARK: The task

  private func supervise() async {
    await withDiscardingTaskGroup { group in
      while let item = await nextItem() {
        group.addTask(priority: item.priority.value) { await self.run(item) }
      }
    }
  }

  /// Returns the next item to start, waiting for one; `nil` when there is nothing to do.
  private func nextItem() async -> PrefetchItem? {
    while true {
      let waiter = Waiter<Void>()
      change { $0.idle = waiter }
      await waiter.value()
      let (item, isEnd) = state.withLock { state -> (PrefetchItem?, Bool) in
        let item = state.next.take()
        let isEnd = item == nil && state.books.isEmpty
        if isEnd { state.isSupervised = false }
        return (item, isEnd)
      }
      if item != nil || isEnd { return item }
    }
  }

  private func run(_ item: PrefetchItem) async {
    let outcome = await pipeline.prefetch(item, to: destination)
    var sessions: [PrefetchSession] = []
    change { sessions = $0.books.end(item) }
    for session in sessions { session.end(item.request, outcome) }
  }

  /// Updates the priority of a running item, also when other threads do so concurrently.
  private func follow(_ item: PrefetchItem) {
    while true {
      let wanted = priority
      item.priority.set(wanted.taskPriority)
      if wanted == priority { return }
    }
  }

  /// Changes the books, and wakes the task if there is an item to start or no work left.
  private func change(_ body: (inout State) -> Void) {
    let task = state.withLock { state -> Waiter<Void>? in
      body(&state)
      guard state.idle != nil else { return nil }
      state.next = state.books.start(priority: state.priority)
      guard state.next != nil || state.books.isEmpty else { return nil }
      return state.idle.take()
    }
    task?.resolve(())
  }
}
