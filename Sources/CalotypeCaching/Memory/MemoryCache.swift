import CalotypeSupport
import Glibc

/// Values in memory under a byte limit that holds at every moment.
///
/// Look-ups, stores and removals are synchronous and never hop: a hit costs less than a task would. The actor owns
/// the policy: limits, sweeps and pressure. All members may be called from any thread; no lock is held while a value
/// is released or the clock is asked.
///
/// What is looked up again stays and what was asked for once leaves, so that a scan through many images does not push
/// out those that are asked for often (S3-FIFO with queues that adapt, `EvictionOrder`).
///
/// ```swift
/// let cache = MemoryCache<Image>(byteLimit: 64 << 20)
/// cache.store(image, for: key, cost: image.byteCount)
/// let hit = cache.value(for: key)
/// ```
public final actor MemoryCache<Value: Sendable> {
  @usableFromInline nonisolated let table: MemoryTable
  package nonisolated let timeToLive: Duration?
  private let liveValues: LiveValues?

  /// A quarter of the memory of the machine or of the control group this process runs in, whichever is less, and
  /// at most 512 MiB.
  public static var defaultByteLimit: Int { SystemMemory.defaultCacheLimit }

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: Most bytes all entries together may cost; `nil` for ``defaultByteLimit``, which then follows the
  ///     memory that a source of pressure reports.
  ///   - countLimit: Most entries, or `nil`.
  ///   - entryByteLimit: Most bytes one entry may cost; `nil` for the limit of the whole cache.
  ///   - timeToLive: How long an entry lives after it was stored, or `nil` for ever.
  ///   - liveValues: How evicted values are found again while somebody else holds them; `nil` for not at all.
  ///   - now: The clock; only asked about entries that have a time, and while the limit recovers from pressure. `nil` for
  ///     the one of the system that costs least: it ticks every few milliseconds, and notices within a second that the
  ///     machine was suspended.
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

  /// The value of a key, or `nil`; O(1), does not suspend.
  ///
  /// - Parameters:
  ///   - key: Its identity.
  ///   - allowingStale: Whether a value counts that is no longer fresh, to be revalidated or for want of a better.
  @inlinable @inline(__always)
  public nonisolated func value(for key: CacheKey, allowingStale: Bool = false) -> Value? {
    // Inlinable, so that programs have it for their type of value and not for any; and no more than this, so that
    // they do not retain the key, of which only the digest is wanted.
    value(digest: key.digest, allowingStale: allowingStale)
  }

  /// Whether a key has a value that is fresh; O(1), does not count as a look-up.
  public nonisolated func contains(_ key: CacheKey) -> Bool {
    table.contains(key.digest, allowingStale: false)
  }

  /// Stores a value, evicting others as needed before the call returns; replaces what the key had. O(1), amortised.
  ///
  /// - Parameters:
  ///   - value: What to keep.
  ///   - key: Its identity; an older value under it is replaced.
  ///   - cost: What the value weighs in bytes; less than zero counts as zero.
  ///   - timeToLive: How long it lives; `nil` for what the cache was made with.
  ///   - freshFor: How long it is fresh: after that it is kept, but only found by those who allow what is stale. `nil`
  ///     for as long as it lives.
  ///   - tags: What it can be removed by, with others: ``CacheSelection/tag(_:)``.
  ///   - rendition: Which picture it shows, and at what size; `nil` if it never serves for another size.
  /// - Returns: Whether it was stored. A value that costs more than one entry may is not, and the key then has
  ///   no value.
  @discardableResult
  public nonisolated func store(
    _ value: Value, for key: CacheKey, cost: Int, timeToLive: Duration? = nil, freshFor: Duration? = nil,
    tags: [String] = [], rendition: MemoryTier.SizeVariant? = nil
  ) -> MemoryTier.StoreOutcome {
    let life = timeToLive ?? self.timeToLive
    let time = life == nil && freshFor == nil ? 0 : table.now()
    let times = MemoryShard.Times(stale: Self.end(time, freshFor), expires: Self.end(time, life))
    var labels = MemoryLabels(tags: tags, rendition: rendition)
    if let liveValues {
      let recall = liveValues.recall(value)
      labels.recall = { recall().map(ValueBox.init) }
    }
    return table.store(
      MemoryEntry(
        digest: key.digest, box: ValueBox(value), cost: max(0, cost), times: times,
        words: key.words, labels: labels))
  }

  /// Makes the value of a key fresh again, as when a server said that it has not changed; O(1).
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

  /// Numbers since the cache was made; O(1). Costs and counts are exact and of one moment; hits and misses are summed
  /// over the shards one after the other.
  public nonisolated var statistics: MemoryTier.Statistics {
    table.statistics
  }

  /// Changes the limits, evicting as needed before the call returns.
  ///
  /// - Parameters:
  ///   - byteLimit: Most bytes all entries together may cost without pressure; `nil` for ``defaultByteLimit``.
  ///   - countLimit: Most entries, or `nil`.
  public func setLimits(byteLimit: Int?, countLimit: Int? = nil) {
    table.setLimits(byteLimit: byteLimit, countLimit: countLimit)
  }

  @inlinable
  nonisolated func value(digest: Digest256, allowingStale: Bool) -> Value? {
    // The value is copied while the lock is held, so that its box need not be retained: copying runs no code of
    // others, which releasing may.
    var value: Value?
    let isFound = table.lookUp(digest, allowingStale: allowingStale) { value = Self.open($0) }
    return isFound ? value.take() : nil
  }

  /// What a box of this cache carries.
  @inlinable @inline(__always)
  nonisolated static func open(_ box: MemoryBox) -> Value {
    // Only `store` puts boxes into the table of this cache, and all of them are of this type.
    unsafeDowncast(box, to: ValueBox<Value>.self).value
  }

  /// When a duration is over that begins at `time`; `Int64.max` for never.
  private nonisolated static func end(_ time: Int64, _ duration: Duration?) -> Int64 {
    guard let duration else { return .max }
    let (end, overflow) = time.addingReportingOverflow(duration.nanosecondCount)
    return overflow ? .max : end
  }
}
