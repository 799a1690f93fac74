import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// The writes that wait for a bucket, and those in progress: bounded in bytes, in order of arrival, one at a time for each
/// key, of which only the newest counts. Pure: the caller passes the time, and carries out the writes of ``take(now:expired:)``.
struct WriteQueue: Sendable {
  /// A change of an object.
  enum Change: Sendable {
    /// The record, and its object in pieces.
    case store(CacheRecord, [Data])
    case delete
  }

  /// A write.
  struct Entry: Sendable {
    let number: Int
    let key: CacheKey
    let change: Change
    /// Its share of the limit.
    let weight: Int
    /// The time by which the last try must begin.
    let deadline: Duration
    fileprivate(set) var tried = 0
    /// The beginning of the present try.
    fileprivate(set) var started = Duration.zero
    /// Told how it ended.
    let waiter: Waiter<BucketError?>?
  }

  /// The fate of a try.
  enum Verdict: Hashable, Sendable {
    case written
    /// It is tried again.
    case retried
    /// It failed for good, or its time is over.
    case failed
    /// A newer write of the key has taken its place.
    case superseded
  }

  /// A time of which the earlier is the larger, for a heap that has the largest first.
  private struct Sooner: Comparable, Sendable {
    let time: Duration

    static func < (left: Sooner, right: Sooner) -> Bool { left.time > right.time }
  }

  /// The share of the limit that an entry has besides its bytes.
  static let overhead = 1 << 10

  /// The most bytes of all entries.
  let byteLimit: Int
  let retry: WriteRetry
  private(set) var limit: WriteLimit
  /// Bytes of all entries, those in progress included.
  private(set) var bytes = 0
  /// Waiting for a slot or for their next try, one for each key.
  private var waiting: [CacheKey: Entry] = [:]
  private var running: [CacheKey: Entry] = [:]
  /// Those that may start, the oldest first.
  private var ready = IndexedHeap<CacheKey, Int>()
  /// Those that wait for their next try, the soonest first.
  private var resting = IndexedHeap<CacheKey, Sooner>()
  /// The numbers of all entries, the oldest first.
  private var ages = IndexedHeap<Int, Int>()
  private var lastNumber = 0
  private var flushes: [(number: Int, waiter: Waiter<Bool>)] = []

  init(byteLimit: Int, most: Int, retry: WriteRetry = WriteRetry()) {
    self.byteLimit = byteLimit
    self.retry = retry
    limit = WriteLimit(most: most)
  }

  /// Entries, those in progress included.
  var count: Int { waiting.count + running.count }
  /// Entries in progress.
  var runningCount: Int { running.count }
  /// The time at which an entry wants its next try; `nil` when none rests.
  var nextTry: Duration? { resting.first?.key.time }

  /// The newest change of a key that the bucket may not have yet.
  func pending(_ key: CacheKey) -> Change? { (waiting[key] ?? running[key])?.change }

  // MARK: Entries

  /// Adds a change, in the place of a waiting one of the key.
  ///
  /// - Returns: `false`, without any effect, when the queue is full; otherwise the waiter of the replaced one, which the
  ///   caller tells.
  mutating func add(
    _ change: Change, for key: CacheKey, waiter: Waiter<BucketError?>? = nil, now: Duration
  ) -> (isAdded: Bool, replaced: Waiter<BucketError?>?) {
    let content = if case .store(_, let pieces) = change { pieces.reduce(0) { $0 + $1.count } } else { 0 }
    let weight = content + Self.overhead
    let old = waiting[key]
    guard weight <= byteLimit - (bytes - (old?.weight ?? 0)) else { return (false, nil) }
    lastNumber += 1
    // The place of the old one, so that a flush waits for it.
    let number = old?.number ?? lastNumber
    ages.update(number, -number)
    bytes += weight - (old?.weight ?? 0)
    waiting[key] = Entry(
      number: number, key: key, change: change, weight: weight, deadline: now + retry.limit, waiter: waiter)
    resting.remove(key)
    if running[key] == nil { ready.update(key, -number) }
    return (true, old?.waiter)
  }

  /// Takes the next write that may start; `nil` if there is none. Those whose time is over are in `expired`.
  mutating func take(now: Duration, expired: inout [Entry]) -> Entry? {
    while let (key, next) = resting.first, next.time <= now {
      resting.remove(key)
      if let entry = waiting[key], running[key] == nil { ready.update(key, -entry.number) }
    }
    while running.count < limit.current, let (key, _) = ready.first {
      ready.remove(key)
      guard var entry = waiting.removeValue(forKey: key) else { continue }
      guard now <= entry.deadline else {
        forget(entry)
        expired.append(entry)
        continue
      }
      entry.started = now
      running[key] = entry
      return entry
    }
    return nil
  }

  /// A try has ended.
  ///
  /// - Parameters:
  ///   - entry: The result of ``take(now:expired:)``.
  ///   - error: Its failure; `nil` for none.
  ///   - resumption: For ``BucketError/suspended``: when requests are sent again.
  ///   - now: The time.
  ///   - random: A new random number from 0 to 1.
  mutating func ended(
    _ entry: Entry, _ error: BucketError?, resumption: Duration? = nil, now: Duration, random: Double
  ) -> Verdict {
    guard var entry = running.removeValue(forKey: entry.key) else { return .superseded }
    // One of the key that arrived meanwhile may start now.
    if let newer = waiting[entry.key] { ready.update(entry.key, -newer.number) }
    guard let error else {
      limit.succeeded()
      forget(entry)
      return .written
    }
    if error.asksForFewer { limit.slowed(start: entry.started, now: now) }
    let isSuspended = error == .suspended
    if !isSuspended { entry.tried += 1 }
    let next =
      isSuspended
      ? resumption.flatMap { $0 <= entry.deadline ? $0 : nil }
      : retry.next(after: error, tried: entry.tried, now: now, deadline: entry.deadline, random: random)
    guard waiting[entry.key] == nil else {
      forget(entry)
      return .superseded
    }
    guard let next else {
      forget(entry)
      return .failed
    }
    waiting[entry.key] = entry
    resting.update(entry.key, Sooner(time: next))
    return .retried
  }

  /// Removes the waiting stores that satisfy a condition.
  ///
  /// - Returns: Their number.
  mutating func removeStores(where isRemoved: (CacheKey, RecordMetadata) -> Bool) -> Int {
    let victims = waiting.values.filter { entry in
      if case .store(let record, _) = entry.change { isRemoved(entry.key, record.metadata) } else { false }
    }
    for entry in victims {
      waiting[entry.key] = nil
      ready.remove(entry.key)
      resting.remove(entry.key)
      forget(entry)
    }
    return victims.count
  }

  /// Removes all that wait, and returns them.
  mutating func removeAll() -> [Entry] {
    let all = Array(waiting.values)
    waiting = [:]
    ready = IndexedHeap()
    resting = IndexedHeap()
    for entry in all { forget(entry) }
    return all
  }

  private mutating func forget(_ entry: Entry) {
    bytes -= entry.weight
    ages.remove(entry.number)
  }

  // MARK: Flushing

  /// Waits for all entries of now.
  ///
  /// - Returns: Whether there are any; otherwise the waiter is not kept.
  mutating func flush(_ waiter: Waiter<Bool>) -> Bool {
    if count == 0 { return false }
    flushes.append((lastNumber, waiter))
    return true
  }

  /// Takes the waiters whose entries have ended, and those that are resolved already.
  mutating func takeFlushed() -> [Waiter<Bool>] {
    guard !flushes.isEmpty else { return [] }
    let oldest = ages.first?.id ?? .max
    let done = flushes.filter { $0.number < oldest || $0.waiter.isResolved }
    flushes.removeAll { $0.number < oldest || $0.waiter.isResolved }
    return done.map(\.waiter)
  }
}
