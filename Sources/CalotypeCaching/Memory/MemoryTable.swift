import CalotypeSupport
import Synchronization

/// The storage of a ``MemoryCache``: shards that look-ups lock one at a time, and one state that all changes go
/// through, so that the sum of costs is exact.
///
/// Locks are taken in one order, state before shard. A look-up locks its shard only. Values are released, and the clock
/// is read, outside all locks, because both may run arbitrary code.
// `@unchecked`: `shards` is allocated in `init` and freed in `deinit`; its contents are Sendable.
@usableFromInline
final class MemoryTable: @unchecked Sendable {
  typealias Box = MemoryBox

  let ledger: Lock<MemoryTableState>
  let now: @Sendable () -> Int64
  /// Not an array of references: each look-up would retain its shard, and threads would contend for the reference
  /// count.
  private let shards: UnsafeMutablePointer<Unmanaged<Lock<MemoryShard>>>
  private let entryLimit: Int?
  private let keepsLive: Bool
  /// Whether the budget grows with time. Otherwise stores need not read the clock.
  private let isRecovering = Atomic(false)

  /// A power of two. With 32 shards, two threads rarely contend for the same one.
  private static let shardCount = 32

  init(
    byteLimit: Int?, countLimit: Int?, entryLimit: Int?, liveLimit: Int?, now: @escaping @Sendable () -> Int64
  ) {
    let seed = UInt64.random(in: .min ... .max)
    ledger = Lock(
      MemoryTableState(byteLimit: byteLimit, countLimit: countLimit, liveLimit: liveLimit ?? 0, seed: seed))
    shards = .allocate(capacity: Self.shardCount)
    for index in 0..<Self.shardCount {
      (shards + index).initialize(to: .passRetained(Lock(MemoryShard(seed: seed))))
    }
    self.entryLimit = entryLimit
    keepsLive = liveLimit ?? 0 > 0
    self.now = now
  }

  deinit {
    for index in 0..<Self.shardCount { shards[index].release() }
    shards.deallocate()
  }

  /// Calls `body` with the shard of a digest, which is locked.
  @inline(__always)
  func withShard<Result: Sendable>(_ digest: Digest256, _ body: (inout MemoryShard) -> Result) -> Result {
    let index = Int(truncatingIfNeeded: digest.word2) & (Self.shardCount - 1)
    return shards[index]._withUnsafeGuaranteedRef { $0.withLock { body(&$0) } }
  }

  /// Looks up an entry.
  ///
  /// - Parameter use: Called with the box, usually while the shard is locked: it must only copy its value.
  /// - Returns: Whether there is an entry; if not, ignore the value that `use` received.
  @usableFromInline
  func lookUp(_ digest: Digest256, allowingStale: Bool, use: (MemoryBox) -> Void) -> Bool {
    var isOver = Int64.max
    if withShard(digest, { $0.lookUp(digest, isOver: &isOver, use: use) }) {
      return isOver == .max || isInTime(digest, isOver, allowingStale: allowingStale)
    }
    guard keepsLive, let box = revive(digest, allowingStale: allowingStale) else { return false }
    use(box)
    return true
  }

  func contains(_ digest: Digest256, allowingStale: Bool) -> Bool {
    guard let times = withShard(digest, { $0.times(digest) }) else { return false }
    let end = allowingStale ? times.expires : times.first
    return end == .max || end > now()
  }

  func store(_ entry: MemoryEntry) -> MemoryTier.StoreOutcome {
    let time = recoveryTime()
    let (outcome, released, needsSweep) = ledger.withLock {
      ledger -> (MemoryTier.StoreOutcome, DeferredReleases, Bool) in
      recover(&ledger, at: time)
      if keepsLive { ledger.live.remove(entry.digest) }
      var released = DeferredReleases()
      let outcome = store(entry, &ledger, &released)
      return (outcome, released, ledger.live.needsSweep)
    }
    withExtendedLifetime(released) {}
    if needsSweep { sweepLive() }
    return outcome
  }

  /// Restores a live value, unless it was removed or replaced meanwhile.
  /// - Returns: Whether the value is still the current one of its key.
  func restore(_ slot: WeakTable.Slot, _ box: Box) -> Bool {
    let time = recoveryTime()
    let (isCurrent, released) = ledger.withLock { ledger -> (Bool, DeferredReleases) in
      recover(&ledger, at: time)
      guard ledger.live.slot(slot.entry.digest)?.number == slot.number else {
        return (false, DeferredReleases())
      }
      ledger.revived += 1
      // A value without room in the cache is still found as long as it lives.
      guard slot.entry.cost <= min(ledger.budget.limit, entryLimit ?? .max) else {
        return (true, DeferredReleases())
      }
      ledger.live.remove(slot.entry.digest)
      var released = DeferredReleases()
      _ = store(slot.entry.restored(box), &ledger, &released)
      return (true, released)
    }
    withExtendedLifetime(released) {}
    return isCurrent
  }

  /// Changes the time at which an entry becomes stale, unless the entry has expired.
  func setStale(_ digest: Digest256, at stale: Int64) -> Bool {
    let time = now()
    return withShard(digest) { shard in
      guard let times = shard.times(digest), times.expires > time else { return false }
      return shard.setStale(digest, at: stale)
    }
  }

  /// Evicts entries in eviction order until the rest costs no more than `bytes`.
  func trim(toBytes bytes: Int) -> Int {
    evict { $0.order.bytes > bytes }
  }

  /// Evicts entries in eviction order until `bytes` have been freed.
  /// - Returns: The bytes freed.
  func reclaim(bytes: Int) -> Int {
    var (before, after) = (0, 0)
    _ = evict {
      after = $0.order.bytes
      return before - after < bytes
    } after: {
      before = $0.order.bytes
    }
    return before - after
  }

  func setLimits(byteLimit: Int?, countLimit: Int?) {
    let time = recoveryTime()
    _ = evict {
      $0.isOverLimit
    } after: { ledger in
      recover(&ledger, at: time)
      ledger.budget.setLimit(byteLimit)
      ledger.countLimit = MemoryTableState.clamped(countLimit)
    }
  }

  /// Applies a report of memory pressure: changes the limit, and evicts everything at the critical level.
  func apply(_ pressure: MemoryPressure?) {
    let time = now()
    let isCritical = pressure?.level == .critical
    _ = evict {
      $0.isOverLimit || (isCritical && $0.order.count > 0)
    } after: { ledger in
      ledger.budget.apply(pressure, at: time)
      isRecovering.store(ledger.budget.isRecovering, ordering: .relaxed)
    }
  }

  var usage: (bytes: Int, byteLimit: Int) {
    let time = recoveryTime()
    return ledger.withLock { ledger in
      recover(&ledger, at: time)
      return (ledger.order.bytes, ledger.budget.limit)
    }
  }

  var statistics: MemoryTier.Statistics {
    let time = recoveryTime()
    var result = ledger.withLock { ledger in
      recover(&ledger, at: time)
      return MemoryTier.Statistics(
        bytes: ledger.order.bytes, count: ledger.order.count, byteLimit: ledger.budget.limit,
        byteLimitWithoutPressure: ledger.budget.whole, countLimit: ledger.countLimit,
        pressure: ledger.budget.level, coveringHits: ledger.coveringHits, revived: ledger.revived,
        evictions: ledger.evictions, expired: ledger.expired, rejections: ledger.rejections,
        remembered: ledger.live.count)
    }
    for index in 0..<Self.shardCount {
      let (hits, misses, stale) = shards[index].takeUnretainedValue().withLock {
        ($0.hits, $0.misses, $0.stale)
      }
      result.hits += hits
      result.misses += misses
      result.stale += stale
    }
    return result
  }

  /// Whether a found entry is still valid; `isOver` is the earlier of its times.
  private func isInTime(_ digest: Digest256, _ isOver: Int64, allowingStale: Bool) -> Bool {
    let time = now()
    guard isOver <= time else { return true }
    let (isInTime, isExpired) = withShard(digest) { shard -> (Bool, Bool) in
      // It was removed or replaced since, and the found value is too old anyway.
      guard let times = shard.times(digest), min(times.stale, times.expires) == isOver else {
        shard.hitWasMiss(isStale: false)
        return (false, false)
      }
      let isExpired = times.expires <= time
      if !isExpired, allowingStale || times.stale > time { return (true, false) }
      shard.hitWasMiss(isStale: !isExpired)
      return (false, isExpired)
    }
    if isExpired { removeExpired(digest, at: time) }
    return isInTime
  }

  private func store(
    _ entry: MemoryEntry, _ ledger: inout MemoryTableState, _ released: inout DeferredReleases
  )
    -> MemoryTier.StoreOutcome
  {
    let digest = entry.digest
    let limit = min(ledger.budget.limit, entryLimit ?? .max)
    guard entry.cost <= limit, ledger.countLimit != 0 else {
      // The previous value of the key is outdated, because the caller has a newer one.
      if let old = take(digest, &ledger) { released.append(old) }
      ledger.rejections += 1
      return .tooLarge(cost: entry.cost, limit: limit)
    }
    var evicted = 0
    // Entries change only under the lock of the state, so this holds until an eviction here.
    var old = withShard(digest) { $0.node(digest) }
    while true {
      let oldCost = old.map { ledger.order.cost(at: $0) } ?? 0
      let fits =
        ledger.order.bytes - oldCost <= ledger.budget.limit - entry.cost
        && (old != nil || ledger.order.count < ledger.countLimit ?? Int(Int32.max))
      if fits {
        let node: Int
        if let old {
          ledger.replace(old, with: entry)
          node = old
        } else {
          node = ledger.insert(entry)
        }
        let row = MemoryShard.Entry(digest: digest, box: entry.box, times: entry.times, node: node)
        if let replaced = withShard(digest, { $0.insert(row) }) { released.append(replaced) }
        return .stored(evicted: evicted)
      }
      // The loop ends: an empty cache has room for every value that passed the check above.
      guard let victim = evictNext(&ledger) else { return .tooLarge(cost: entry.cost, limit: limit) }
      evicted += 1
      if victim.digest == digest { old = nil }
      released.append(victim.box)
    }
  }

  /// Evicts while `isNeeded` returns `true`.
  /// - Returns: The number of evicted entries.
  private func evict(
    while isNeeded: (MemoryTableState) -> Bool, after change: (inout MemoryTableState) -> Void = { _ in }
  ) -> Int {
    let (released, needsSweep) = ledger.withLock { ledger -> (DeferredReleases, Bool) in
      change(&ledger)
      var released = DeferredReleases()
      while isNeeded(ledger), let victim = evictNext(&ledger) { released.append(victim.box) }
      return (released, ledger.live.needsSweep)
    }
    let count = released.count
    withExtendedLifetime(released) {}
    if needsSweep { sweepLive() }
    return count
  }

  /// Removes the next entry in eviction order that was not looked up since its last turn.
  private func evictNext(_ ledger: inout MemoryTableState) -> MemoryShard.Entry? {
    // Other threads may mark entries as fast as they are cleared: after some rounds the next entry is evicted anyway.
    var chances = ledger.order.count * (Int(MemoryShard.mostMarks) + 1)
    while let candidate = ledger.order.candidate {
      let isNew = candidate.queue == .probation
      let entry = withShard(candidate.digest) { shard in
        chances > 0
          ? shard.removeUnlessMarked(candidate.digest, takingAll: isNew) : shard.remove(candidate.digest)
      }
      if let entry {
        ledger.evict(candidate, times: entry.times)
        return entry
      }
      chances -= 1
      ledger.order.spare(candidate)
    }
    return nil
  }

  func take(_ digest: Digest256, _ ledger: inout MemoryTableState) -> Box? {
    guard let entry = withShard(digest, { $0.remove(digest) }) else { return nil }
    ledger.remove(entry)
    return entry.box
  }

  /// The time, if the budget depends on it; otherwise `nil`.
  private func recoveryTime() -> Int64? {
    isRecovering.load(ordering: .relaxed) ? now() : nil
  }

  private func recover(_ ledger: inout MemoryTableState, at time: Int64?) {
    guard let time else { return }
    ledger.budget.recover(at: time)
    isRecovering.store(ledger.budget.isRecovering, ordering: .relaxed)
  }
}
