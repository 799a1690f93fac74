/// The entries of a ``FailureMemory``. Pure: it is told the time.
///
/// Entries stay for a while after the source may be asked again, so that the next failure counts as one more.
struct FailureTable {
  typealias Failure = FailureMemory.Failure

  private struct Entry {
    var failure: Failure
    /// The size that the source is larger than, if that is what was wrong.
    var limit: Int?
  }

  private let configuration: FailureMemory.Configuration
  private var entries: [FailureKey: Entry] = [:]
  /// All entries by when they may be asked again, and such that are out of date because the entry has changed since.
  private var queue = ExpiryHeap<FailureKey>()

  init(configuration: FailureMemory.Configuration) {
    self.configuration = configuration
  }

  /// Why the source should not be asked for with so many bytes at most.
  func failure(for key: FailureKey, maxBytes: Int, now: ContinuousClock.Instant) -> Failure? {
    guard let entry = entries[key], now < entry.failure.until, maxBytes <= entry.limit ?? .max else {
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
    queue.insert(key, at: until)
    tidy()
  }

  mutating func forget(_ key: FailureKey) {
    entries[key] = nil
  }

  mutating func removeAll() {
    entries = [:]
    queue = ExpiryHeap()
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
    while entries.count > max(0, configuration.maxEntries), let (key, until) = queue.popFirst() {
      if entries[key]?.failure.until == until { entries[key] = nil }
    }
    // What is out of date may not outgrow what is not.
    if queue.count > 2 * entries.count + 64 {
      queue = ExpiryHeap()
      for (key, entry) in entries { queue.insert(key, at: entry.failure.until) }
    }
  }
}

/// Elements with a time, given back in the order of time: a binary heap. O(log *n*) to insert and to take.
struct ExpiryHeap<Element> {
  private var heap: [(element: Element, time: ContinuousClock.Instant)] = []

  var count: Int { heap.count }

  mutating func insert(_ element: Element, at time: ContinuousClock.Instant) {
    heap.append((element, time))
    var child = heap.count - 1
    while child > 0, heap[child].time < heap[(child - 1) / 2].time {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst() -> (element: Element, time: ContinuousClock.Instant)? {
    guard !heap.isEmpty else { return nil }
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var parent = 0
    while 2 * parent + 1 < heap.count {
      var child = 2 * parent + 1
      if child + 1 < heap.count, heap[child + 1].time < heap[child].time { child += 1 }
      guard heap[child].time < heap[parent].time else { break }
      heap.swapAt(parent, child)
      parent = child
    }
    return first
  }
}
