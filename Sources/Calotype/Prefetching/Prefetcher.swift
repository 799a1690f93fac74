import CalotypeSupport
public import FoundationEssentials

/// Fetches what will be needed soon into the caches of a pipeline: a few at a time, less urgently than what is needed now.
///
/// ```swift
/// let prefetcher = Prefetcher(pipeline)
/// for await progress in prefetcher.prefetch(requests) {
///   print("\(progress.finished) of \(progress.total)")
/// }
/// ```
///
/// Equal requests are fetched once, whichever calls they belong to, and what is cached already is skipped. The pipeline
/// shares its work with whoever asks for the same image meanwhile, and makes it as urgent as they want it; what still
/// waits here is found by them when they ask, and skipped here when its turn comes.
///
/// Nothing here suspends: what is stopped right after its start is stopped as a whole. The requests run in one task, which
/// ends when there is nothing to do. Interceptors see a request when it is handed over.
public final class Prefetcher: Sendable {
  /// Where what is fetched goes.
  public enum Destination: Hashable, Sendable {
    /// The decoded result, into memory and onto disk, as ``ImageRequest/storeTiers`` says.
    case memory
    /// The original, onto disk. Nothing is decoded.
    case disk
  }

  /// The pipeline that does the work.
  public let pipeline: ImagePipeline
  /// Where what is fetched goes.
  public let destination: Destination

  private struct State {
    var books: PrefetchState
    var priority: ImageRequest.Priority
    /// Whether there is a task for the runs.
    var isSupervised = false
    /// That task, while there is nothing to start.
    var idle: Waiter<Void>?
    /// What it starts when it goes on.
    var next: PrefetchItem?
  }

  private let state: Lock<State>

  /// Creates a prefetcher. Several of one pipeline know nothing of each other, but share its work.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline that does the work.
  ///   - destination: Where what is fetched goes.
  ///   - concurrency: How many at a time.
  ///   - priority: How urgent it is, instead of ``ImageRequest/priority``.
  ///   - maxWaiting: How many may wait. What is beyond fails with ``PipelineError/queueFull(_:limit:)``.
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

  /// How many are fetched at a time; at least one. May be changed at any time: what runs goes on.
  public var concurrency: Int {
    get { state.withLock { $0.books.limit } }
    set { change { $0.books.limit = max(1, newValue) } }
  }

  /// Whether nothing is started. What runs goes on.
  public var isPaused: Bool {
    get { state.withLock { $0.books.isPaused } }
    set { change { $0.books.isPaused = newValue } }
  }

  /// How urgent it is. May be changed at any time, also for what runs.
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

  /// How many requests wait for their turn.
  public var waitingCount: Int { state.withLock { $0.books.waitingCount } }

  /// How many requests are being fetched, or are just being given up.
  public var runningCount: Int { state.withLock { $0.books.runningCount } }

  // MARK: Work

  /// Starts to fetch the images at URLs, upright and at full size.
  @discardableResult public func prefetch(_ urls: some Sequence<URL>) -> Prefetch {
    prefetch(urls.map { ImageRequest(url: $0) })
  }

  /// Starts to fetch; requests of earlier calls go first. Goes on until it has ended, or is cancelled by ``Prefetch/cancel()``
  /// or ``stop()``.
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

  /// Gives up everything that was started before.
  public func stop() {
    var (sessions, abandoned): ([PrefetchSession], [PrefetchItem]) = ([], [])
    change { (sessions, abandoned) = $0.books.removeAll() }
    for item in abandoned { item.cancel() }
    for session in sessions { session.endRest() }
  }

  /// Gives up what a session alone wants.
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

  /// What is to be started, when something is; `nil` when there is nothing to do.
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

  /// Brings the priority of what runs to ours, whoever else is doing so.
  private func follow(_ item: PrefetchItem) {
    while true {
      let wanted = priority
      item.priority.set(wanted.taskPriority)
      if wanted == priority { return }
    }
  }

  /// Changes the books, and wakes the task if there is something to do for it, or nothing any more.
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
