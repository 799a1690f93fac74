/// Values in memory under a byte limit that holds at every moment.
///
/// Look-ups, stores and removals are synchronous and never hop: a hit costs less than a task would. The actor owns
/// the policy: limits and sweeps.
///
/// Entries leave by second chance: oldest first, but one that was looked up since its turn last came stays for
/// another round. All members may be called from any thread; no lock is held while a value is released.
///
/// ```swift
/// let cache = MemoryCache<Image>(byteLimit: 64 << 20)
/// cache.store(image, for: key, cost: image.byteCount)
/// let hit = cache.value(for: key)
/// ```
public actor MemoryCache<Value: Sendable> {
  private let table: MemoryTable
  private let timeToLive: Duration?
  private let entryByteLimit: Int?
  private let now: @Sendable () -> Int64

  /// A quarter of the memory of the machine or of the control group this process runs in, whichever is less, and
  /// at most 512 MiB.
  public static var defaultByteLimit: Int { SystemMemory.defaultCacheLimit }

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: Most bytes all entries together may cost.
  ///   - countLimit: Most entries, or `nil`.
  ///   - entryByteLimit: Most bytes one entry may cost; `nil` for the limit of the whole cache.
  ///   - timeToLive: How long an entry lives after it was stored, or `nil` for ever.
  ///   - now: The clock; only asked about entries that can expire.
  public init(
    byteLimit: Int = MemoryCache.defaultByteLimit, countLimit: Int? = nil, entryByteLimit: Int? = nil,
    timeToLive: Duration? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    let start = now()
    let nanoseconds: @Sendable () -> Int64 = { (now() - start).clampedNanoseconds }
    self.now = nanoseconds
    self.timeToLive = timeToLive
    self.entryByteLimit = entryByteLimit
    table = MemoryTable(byteLimit: byteLimit, countLimit: countLimit, now: nanoseconds)
  }

  /// The value of a key, or `nil`; O(1), does not suspend.
  public nonisolated func value(for key: CacheKey) -> Value? {
    guard let box = table.lookUp(key.digest) else { return nil }
    // Only `store` puts boxes into the table of this cache, and all of them are of this type.
    return unsafeDowncast(box, to: Box<Value>.self).value
  }

  /// Whether a key has a value; does not count as a look-up.
  public nonisolated func contains(_ key: CacheKey) -> Bool {
    table.contains(key.digest)
  }

  /// Stores a value, evicting others as needed before the call returns; replaces what the key had.
  ///
  /// - Parameters:
  ///   - value: What to keep.
  ///   - key: Its identity; an older value under it is replaced.
  ///   - cost: What the value weighs in bytes; less than zero counts as zero.
  ///   - timeToLive: How long it lives; `nil` for what the cache was made with.
  /// - Returns: Whether it was stored. A value that costs more than one entry may is not, and the key then has
  ///   no value.
  @discardableResult
  public nonisolated func store(
    _ value: Value, for key: CacheKey, cost: Int, timeToLive: Duration? = nil
  ) -> MemoryStoreOutcome {
    var expires = Int64.max
    if let life = timeToLive ?? self.timeToLive {
      let (end, overflow) = now().addingReportingOverflow(life.clampedNanoseconds)
      expires = overflow ? .max : end
    }
    return table.store(
      Box(value), for: key.digest, cost: max(0, cost), expires: expires, entryLimit: entryByteLimit)
  }

  /// Removes the value of a key.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public nonisolated func remove(_ key: CacheKey) -> Bool {
    table.remove(key.digest)
  }

  /// Removes all values.
  public nonisolated func removeAll() {
    table.removeAll()
  }

  /// Evicts values until the rest costs no more than `bytes`.
  ///
  /// - Returns: How many were evicted.
  @discardableResult
  public nonisolated func trim(toBytes bytes: Int) -> Int {
    table.trim(toBytes: max(0, bytes))
  }

  /// Numbers since the cache was made. Costs and counts are exact and of one moment; hits and misses are summed
  /// over the shards one after the other.
  public nonisolated var statistics: MemoryCacheStatistics {
    table.statistics
  }

  /// Removes values whose time to live is over. Look-ups do so for the keys they see.
  ///
  /// - Returns: How many were removed.
  @discardableResult
  public func removeExpired() -> Int {
    table.removeExpired()
  }

  /// Changes the limits, evicting as needed before the call returns.
  public func setLimits(byteLimit: Int, countLimit: Int? = nil) {
    table.setLimits(byteLimit: byteLimit, countLimit: countLimit)
  }
}

/// Carries a value of any type through the table, which knows none.
private final class Box<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

extension Duration {
  /// Whole nanoseconds; the nearest `Int64` when they do not fit.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }
}
