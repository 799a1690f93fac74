import CalotypeCaching
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Carries out the writes of a ``WriteQueue``: a task for each write in progress, and one that sleeps until the next try.
///
/// The queue decides on order and number. Tasks keep the writer alive until the queue is empty.
final class BucketWriter: Sendable {
  /// The outcomes of writes.
  struct Counts: Hashable, Sendable {
    var stored = 0
    var bytes = 0
    var deleted = 0
    /// Not queued, because the queue was full.
    var dropped = 0
    /// Given up after all tries, or because their time was over.
    var failed = 0
    var retries = 0
    var lastFailure: BucketError?
  }

  private struct State {
    var queue: WriteQueue
    var counts = Counts()
    /// The time that the sleeping task waits for, and the task.
    var alarm: (time: Duration, task: Task<Void, Never>)?
    var isClosed = false
  }

  /// The description of the objects: their media type, and the version of the record format.
  static let contentType = "application/vnd.calotype.record"
  static let fields: HTTPFields = [.amzMetaCalotype: "2"]

  private let state: Lock<State>
  private let client: BucketClient
  private let folder: Bucket.Folder
  private let health: BucketHealth
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let random: @Sendable () -> Double

  init(
    _ queue: WriteQueue, client: BucketClient, folder: Bucket.Folder, health: BucketHealth,
    clock: any Clock<Duration>, elapsed: @escaping @Sendable () -> Duration,
    random: @escaping @Sendable () -> Double
  ) {
    state = Lock(State(queue: queue))
    self.client = client
    self.folder = folder
    self.health = health
    self.clock = clock
    self.elapsed = elapsed
    self.random = random
  }

  /// The counts, and the queue's entries, bytes and limit.
  var figures: (counts: Counts, count: Int, bytes: Int, limit: Int) {
    state.withLock { ($0.counts, $0.queue.count, $0.queue.bytes, $0.queue.limit.current) }
  }

  /// The newest change of a key that the bucket may not have yet.
  func pending(_ key: CacheKey) -> WriteQueue.Change? { state.withLock { $0.queue.pending(key) } }

  // MARK: Changes

  /// Queues a change and returns at once.
  ///
  /// - Parameter waiter: Told how it ended: `nil` for success.
  /// - Returns: `false` when the queue is full or closed: the change is dropped.
  @discardableResult
  func add(_ change: WriteQueue.Change, for key: CacheKey, waiter: Waiter<BucketError?>? = nil) -> Bool {
    let now = elapsed()
    let (isAdded, replaced) = state.withLock { state -> (Bool, Waiter<BucketError?>?) in
      let result =
        state.isClosed ? (false, nil) : state.queue.add(change, for: key, waiter: waiter, now: now)
      if !result.0 { state.counts.dropped += 1 }
      return result
    }
    // The newer change is what the older one was for.
    replaced?.resolve(nil)
    if isAdded { pump() }
    return isAdded
  }

  /// Forgets waiting stores that satisfy a condition.
  func removeStores(where isRemoved: @Sendable (CacheKey, RecordMetadata) -> Bool) {
    let waiters = state.withLock { state in
      _ = state.queue.removeStores(where: isRemoved)
      return state.queue.takeFlushed()
    }
    for waiter in waiters { waiter.resolve(true) }
  }

  /// Returns when all changes of now have ended, or been given up.
  ///
  /// - Returns: `false` when the task was cancelled before.
  func flush() async -> Bool {
    let waiter = Waiter<Bool>()
    guard state.withLock({ $0.queue.flush(waiter) }) else { return true }
    return await waiter.value(onCancel: false)
  }

  /// Accepts no more changes, and gives up those that have not begun.
  func close() {
    let (entries, flushed, alarm) = state.withLock { state in
      state.isClosed = true
      let entries = state.queue.removeAll()
      state.counts.dropped += entries.count
      defer { state.alarm = nil }
      return (entries, state.queue.takeFlushed(), state.alarm?.task)
    }
    alarm?.cancel()
    for entry in entries { entry.waiter?.resolve(.cancelled) }
    for waiter in flushed { waiter.resolve(true) }
  }

  // MARK: Work

  /// Starts all writes that may start, and sets the alarm for the next try.
  private func pump() {
    let now = elapsed()
    let (started, expired, flushed) = state.withLock { state in
      var started: [WriteQueue.Entry] = []
      var expired: [WriteQueue.Entry] = []
      while let entry = state.queue.take(now: now, expired: &expired) { started.append(entry) }
      state.counts.failed += expired.count
      setAlarm(&state, now: now)
      return (started, expired, state.queue.takeFlushed())
    }
    for entry in expired { entry.waiter?.resolve(.timedOut) }
    for waiter in flushed { waiter.resolve(true) }
    for entry in started {
      Task { await self.perform(entry) }
    }
  }

  private func setAlarm(_ state: inout State, now: Duration) {
    guard let time = state.queue.nextTry else { return }
    // A write that ends takes the next one; the alarm is for when none does.
    if let alarm = state.alarm {
      if alarm.time <= time, alarm.time > now { return }
      alarm.task.cancel()
    }
    let (clock, delay) = (clock, max(.zero, time - now))
    state.alarm = (
      time,
      Task {
        guard (try? await clock.sleep(for: delay)) != nil else { return }
        self.pump()
      }
    )
  }

  private func perform(_ entry: WriteQueue.Entry) async {
    let (error, resumption) = await attempt(entry)
    let (now, random) = (elapsed(), random())
    let verdict = state.withLock { state in
      let verdict = state.queue.ended(entry, error, resumption: resumption, now: now, random: random)
      state.counts.add(verdict, entry, error)
      return verdict
    }
    switch verdict {
    case .written, .superseded: entry.waiter?.resolve(nil)
    case .failed: entry.waiter?.resolve(error)
    case .retried: break
    }
    pump()
  }

  private func attempt(_ entry: WriteQueue.Entry) async -> (BucketError?, resumption: Duration?) {
    if let time = health.admission() { return (.suspended, time) }
    do throws(BucketError) {
      let key = client.bucket.objectKey(entry.key, in: folder)
      switch entry.change {
      case .store(_, let pieces):
        try await client.put(key, pieces, contentType: Self.contentType, fields: Self.fields)
      case .delete: try await client.delete(key)
      }
      health.record(.success)
      return (nil, nil)
    } catch {
      // A request to write more slowly says nothing about reads.
      health.record(error.asksForFewer ? .neutral : BucketBreaker.Outcome(error))
      return (error, nil)
    }
  }
}

extension BucketWriter.Counts {
  fileprivate mutating func add(
    _ verdict: WriteQueue.Verdict, _ entry: WriteQueue.Entry, _ error: BucketError?
  ) {
    if let error, error != .suspended { lastFailure = error }
    switch verdict {
    case .written:
      if case .store = entry.change {
        stored += 1
        bytes += entry.weight - WriteQueue.overhead
      } else {
        deleted += 1
      }
    case .retried: retries += 1
    case .failed: failed += 1
    case .superseded: break
    }
  }
}
