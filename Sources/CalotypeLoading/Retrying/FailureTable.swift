import HeapModule

/// The entries of a ``FailureMemory``. Pure: the caller passes the time.
///
/// Entries stay for a while after they expire, so that the next failure counts as one more.
struct FailureTable {
  typealias Failure = FailureMemory.Failure

  private struct Entry {
    var failure: Failure
    /// The size limit that the source exceeded, if that was the failure.
    var limit: Int?
  }

  /// A key and the time at which its source may be retried.
  private struct Expiry: Comparable {
    let key: FailureKey
    let until: ContinuousClock.Instant

    static func < (left: Expiry, right: Expiry) -> Bool { left.until < right.until }
  }

  private let configuration: FailureMemory.Configuration
  private var entries: [FailureKey: Entry] = [:]
  /// All entries, the first to expire first; and outdated ones, whose entry has changed since.
  private var queue = Heap<Expiry>()

  init(configuration: FailureMemory.Configuration) {
    self.configuration = configuration
  }

  /// Returns the failure that forbids a load with this byte limit.
  func failure(for key: FailureKey, byteLimit: Int, now: ContinuousClock.Instant) -> Failure? {
    guard let entry = entries[key], now < entry.failure.until, byteLimit <= entry.limit ?? .max else {
      return nil
    }
    return entry.failure
  }

  mutating func record(
    code: String, message: String, limit: Int?, lifetime: Duration? = nil, for key: FailureKey,
    now: ContinuousClock.Instant
  ) {
    let last = entries[key]?.failure
    func entry(count: Int, until: ContinuousClock.Instant) -> Entry {
      let failure = Failure(
        source: key.source, code: code, message: message, count: count, when: now, until: until)
      return Entry(failure: failure, limit: limit)
    }
    if let last, now < last.until {
      entries[key] = entry(count: last.count, until: last.until)
      return
    }
    let count = last.map { now < $0.until + configuration.maxDuration ? $0.count + 1 : 1 } ?? 1
    let until = now + (lifetime.map { min($0, configuration.maxDuration) } ?? duration(count: count))
    entries[key] = entry(count: count, until: until)
    queue.insert(Expiry(key: key, until: until))
    tidy()
  }

  mutating func forget(_ key: FailureKey) {
    entries[key] = nil
  }

  mutating func removeAll() {
    entries = [:]
    queue = Heap()
  }

  func failures(now: ContinuousClock.Instant) -> [Failure] {
    entries.values.lazy.map(\.failure).filter { now < $0.until }
  }

  func count(now: ContinuousClock.Instant) -> Int {
    entries.values.count { now < $0.failure.until }
  }

  private func duration(count: Int) -> Duration {
    var duration = configuration.baseDuration
    var doublings = 1
    while doublings < count && duration < configuration.maxDuration && duration > .zero {
      duration *= 2
      doublings += 1
    }
    return min(duration, configuration.maxDuration)
  }

  private mutating func tidy() {
    while entries.count > max(0, configuration.countLimit), let next = queue.popMin() {
      if entries[next.key]?.failure.until == next.until { entries[next.key] = nil }
    }
    // Outdated elements must not outnumber the others for long.
    if queue.count > 2 * entries.count + 64 {
      queue = Heap()
      for (key, entry) in entries { queue.insert(Expiry(key: key, until: entry.failure.until)) }
    }
  }
}
