import CalotypeSupport
import Glibc

/// Values in memory under a byte limit that holds at every moment.
///
/// Look-ups, stores and removals are synchronous and never hop: a hit costs less than a task would. The actor owns
/// the policy: limits, sweeps and pressure. All members may be called from any thread; no lock is held while a value
/// is released or the clock is asked.
///
/// Values that are looked up repeatedly stay and values that are used once leave, so that a scan through many images
/// does not evict popular ones (S3-FIFO with queues that adapt, `EvictionOrder`).
///
/// ```swift
/// let cache = MemoryCache<Image>(byteLimit: 64 << 20)
/// cache.store(image, for: key, cost: image.bitmap.byteCount)
/// let hit = cache.value(for: key)
/// ```
public final actor MemoryCache<Value: Sendable> {
  @usableFromInline nonisolated let table: MemoryTable
  package nonisolated let timeToLive: Duration?
  private let liveValues: LiveValues?

  /// A quarter of the memory of the machine or of the control group this process runs in, whichever is less, and
  /// at most 512 MiB.
  public static var defaultByteLimit: Int { SystemMemory.defaultCacheLimit }

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: The most bytes that all entries together may cost; `nil` for ``defaultByteLimit``, which then
  ///     follows the memory that a source of pressure reports.
  ///   - countLimit: The most entries, or `nil` for no limit.
  ///   - entryByteLimit: The most bytes that one entry may cost; `nil` for the limit of the whole cache.
  ///   - timeToLive: How long an entry lives after it was stored, or `nil` for ever.
  ///   - liveValues: How evicted values are found again while other code holds them; `nil` to disable that.
  ///   - now: The clock, which is read only for entries with a lifetime, and while the limit recovers from pressure.
  ///     `nil` for the cheapest clock of the system: it ticks every few milliseconds, and notices a suspension of the
  ///     machine within a second.
  public init(
    byteLimit: Int? = nil, countLimit: Int? = nil, entryByteLimit: Int? = nil, timeToLive: Duration? = nil,
    liveValues: LiveValues? = nil,
    now: (@Sendable () -> ContinuousClock.Instant)? = nil
  ) {
    var time: @Sendable () -> Int64 = { SuspensionClock.shared.coarseTime }
    if let now {
      let start = now()
      time = { (now() - start).nanosecondCount }
    }
    self.timeToLive = timeToLive
    self.liveValues = liveValues
    table = MemoryTable(
      byteLimit: byteLimit, countLimit: countLimit, entryLimit: entryByteLimit, liveLimit: liveValues?.limit,
      now: time)
  }

  /// Returns the value of a key, or `nil`; O(1).
  ///
  /// - Parameters:
  ///   - key: Its identity.
  ///   - allowingStale: Whether stale values count, for example to revalidate them.
  @inlinable @inline(__always)
  public nonisolated func value(for key: CacheKey, allowingStale: Bool = false) -> Value? {
    // Inlinable, so that it is specialised for the type of value; and minimal, so that callers do not retain the key,
    // of which only the digest is needed.
    value(digest: key.digest, allowingStale: allowingStale)
  }

  /// Returns whether a key has a fresh value; O(1). Does not count as a look-up.
  public nonisolated func contains(_ key: CacheKey) -> Bool {
    table.contains(key.digest, allowingStale: false)
  }

  /// Stores a value, replacing an existing one of the key, and evicts others as needed before it returns. O(1),
  /// amortised.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: Its identity; an older value under it is replaced.
  ///   - cost: The cost of the value in bytes; a negative cost counts as zero.
  ///   - timeToLive: Its time to live; `nil` for the default of the cache.
  ///   - freshFor: How long it is fresh. After that it is stale, and found only by look-ups that allow stale values.
  ///     `nil` for its whole life.
  ///   - tags: Tags by which it can be removed together with others: ``CacheSelection/tag(_:)``.
  ///   - sizeVariant: The picture it shows and its size; `nil` if it must not serve other sizes.
  /// - Returns: Whether it was stored. A value above the limit for one entry is not stored, and the key then has no
  ///   value.
  @discardableResult
  public nonisolated func store(
    _ value: Value, for key: CacheKey, cost: Int, timeToLive: Duration? = nil, freshFor: Duration? = nil,
    tags: [String] = [], sizeVariant: MemoryTier.SizeVariant? = nil
  ) -> MemoryTier.StoreOutcome {
    let life = timeToLive ?? self.timeToLive
    let time = life == nil && freshFor == nil ? 0 : table.now()
    let times = MemoryShard.Times(stale: Self.end(time, freshFor), expires: Self.end(time, life))
    var labels = MemoryLabels(tags: tags, sizeVariant: sizeVariant)
    if let liveValues {
      let recall = liveValues.recall(value)
      labels.recall = { recall().map(ValueBox.init) }
    }
    return table.store(
      MemoryEntry(
        digest: key.digest, box: ValueBox(value), cost: max(0, cost), times: times,
        words: key.words, labels: labels))
  }

  /// Makes the value of a key fresh again, as after a successful revalidation; O(1).
  ///
  /// - Parameters:
  ///   - key: Its identity.
  ///   - freshFor: How long it is fresh from now on; `nil` for as long as it lives.
  /// - Returns: Whether there was a value.
  @discardableResult
  public nonisolated func refresh(_ key: CacheKey, freshFor: Duration?) -> Bool {
    table.setStale(key.digest, at: freshFor.map { Self.end(table.now(), $0) } ?? .max)
  }

  /// Evicts values until the rest costs no more than `bytes`; O(evicted), amortised.
  ///
  /// - Returns: How many were evicted.
  @discardableResult
  public nonisolated func trim(toBytes bytes: Int) -> Int {
    table.trim(toBytes: max(0, bytes))
  }

  /// The statistics since the creation of the cache; O(1). Costs and counts are a consistent snapshot; hits and misses
  /// are summed over the shards one after another.
  public nonisolated var statistics: MemoryTier.Statistics {
    table.statistics
  }

  /// Changes the limits, evicting as needed before the call returns.
  ///
  /// - Parameters:
  ///   - byteLimit: Most bytes all entries together may cost without pressure; `nil` for ``defaultByteLimit``.
  ///   - countLimit: The most entries, or `nil` for no limit.
  public func setLimits(byteLimit: Int?, countLimit: Int? = nil) {
    table.setLimits(byteLimit: byteLimit, countLimit: countLimit)
  }

  @inlinable
  nonisolated func value(digest: Digest256, allowingStale: Bool) -> Value? {
    // The value is copied under the lock, so that its box need not be retained: unlike a release, a copy runs no
    // foreign code.
    var value: Value?
    let isFound = table.lookUp(digest, allowingStale: allowingStale) { value = Self.open($0) }
    return isFound ? value.take() : nil
  }

  /// The value in a box of this cache.
  @inlinable @inline(__always)
  nonisolated static func open(_ box: MemoryBox) -> Value {
    // Only `store` puts boxes into the table of this cache, and all of them are of this type.
    unsafeDowncast(box, to: ValueBox<Value>.self).value
  }

  /// The end of a duration that begins at `time`; `Int64.max` for never.
  private nonisolated static func end(_ time: Int64, _ duration: Duration?) -> Int64 {
    guard let duration else { return .max }
    let (end, overflow) = time.addingReportingOverflow(duration.nanosecondCount)
    return overflow ? .max : end
  }
}
