import CalotypeSupport

/// The storage of a ``MemoryCache``: shards that look-ups lock one at a time, and one ledger that all changes go
/// through, so that the sum of costs is exact.
///
/// Locks are taken in one order, ledger before shard. A look-up takes its shard only. Values are released outside
/// of all locks: their release may be long.
final class MemoryTable: Sendable {
  typealias Box = any AnyObject & Sendable

  struct Ledger: Sendable {
    var order = EvictionOrder()
    var byteLimit: Int
    var countLimit: Int?
    var evictions = 0
    var expired = 0
    var rejections = 0
  }

  private let ledger: Lock<Ledger>
  private let shards: [MemoryShardLock]
  private let now: @Sendable () -> Int64

  /// A power of two. More than the threads that look up at one moment gain nothing.
  private static let shardCount = 8

  init(byteLimit: Int, countLimit: Int?, now: @escaping @Sendable () -> Int64) {
    ledger = Lock(Ledger(byteLimit: max(0, byteLimit), countLimit: countLimit.map { max(0, $0) }))
    let seed = UInt64.random(in: .min ... .max)
    shards = (0..<Self.shardCount).map { _ in MemoryShardLock(MemoryShard(seed: seed)) }
    self.now = now
  }

  private func shard(of digest: Digest256) -> MemoryShardLock {
    shards[Int(truncatingIfNeeded: digest.word2) & (shards.count - 1)]
  }

  func lookUp(_ digest: Digest256) -> Box? {
    var expired = false
    let box = shard(of: digest).withLock { $0.lookUp(digest, expired: &expired, now: now) }
    if expired { removeExpired(digest) }
    return box
  }

  func contains(_ digest: Digest256) -> Bool {
    shard(of: digest).withLock { shard in
      guard let entry = shard.entry(digest) else { return false }
      return entry.expires == .max || entry.expires > now()
    }
  }

  func store(_ box: Box, for digest: Digest256, cost: Int, expires: Int64, entryLimit: Int?)
    -> MemoryStoreOutcome
  {
    var released: [Box] = []
    defer { withExtendedLifetime(released) {} }
    let (outcome, dead) = ledger.withLock { ledger -> (MemoryStoreOutcome, [Box]) in
      var dead: [Box] = []
      let limit = min(ledger.byteLimit, entryLimit ?? ledger.byteLimit)
      guard cost <= limit, ledger.countLimit != 0 else {
        // What was stored under this key before is older than what the caller has now.
        if let old = take(digest, &ledger) { dead.append(old) }
        ledger.rejections += 1
        return (.tooLarge(cost: cost, limit: limit), dead)
      }
      var evicted = 0
      while true {
        let old = shard(of: digest).withLock { $0.entry(digest)?.node }
        let oldCost = old.map { ledger.order.cost(at: $0) } ?? 0
        let fits =
          ledger.order.bytes - oldCost <= ledger.byteLimit - cost
          && (old != nil || ledger.order.count < ledger.countLimit ?? .max)
        if fits {
          if let old { ledger.order.remove(old) }
          let node = ledger.order.append(digest, cost: cost)
          let entry = MemoryShard.Entry(digest: digest, box: box, expires: expires, node: node)
          if let replaced = shard(of: digest).withLock({ $0.insert(entry) }) { dead.append(replaced) }
          return (.stored(evicted: evicted), dead)
        }
        // The loop ends: an empty cache has room for whatever passed the check above.
        guard let victim = evictNext(&ledger) else { return (.tooLarge(cost: cost, limit: limit), dead) }
        evicted += 1
        dead.append(victim)
      }
    }
    released = dead
    return outcome
  }

  func remove(_ digest: Digest256) -> Bool {
    let box = ledger.withLock { take(digest, &$0) }
    return box != nil
  }

  /// Removes entries, next to leave first, until the rest costs no more than `bytes`.
  func trim(toBytes bytes: Int) -> Int {
    let dead = ledger.withLock { ledger -> [Box] in
      var dead: [Box] = []
      while ledger.order.bytes > bytes, let victim = evictNext(&ledger) { dead.append(victim) }
      return dead
    }
    return dead.count
  }

  func removeAll() {
    let dead = ledger.withLock { ledger -> [Box] in
      ledger.order.all.compactMap { take($0.digest, &ledger) }
    }
    withExtendedLifetime(dead) {}
  }

  /// Removes all entries whose time has come.
  func removeExpired() -> Int {
    let dead = ledger.withLock { ledger -> [Box] in
      let time = now()
      return ledger.order.all.compactMap { node in
        takeExpired(node.digest, at: time, &ledger)
      }
    }
    return dead.count
  }

  func setLimits(byteLimit: Int, countLimit: Int?) {
    let dead = ledger.withLock { ledger -> [Box] in
      ledger.byteLimit = max(0, byteLimit)
      ledger.countLimit = countLimit.map { max(0, $0) }
      var dead: [Box] = []
      while ledger.order.bytes > ledger.byteLimit || ledger.order.count > ledger.countLimit ?? .max,
        let victim = evictNext(&ledger)
      {
        dead.append(victim)
      }
      return dead
    }
    withExtendedLifetime(dead) {}
  }

  var statistics: MemoryCacheStatistics {
    var result = ledger.withLock { ledger in
      MemoryCacheStatistics(
        bytes: ledger.order.bytes, count: ledger.order.count, byteLimit: ledger.byteLimit,
        countLimit: ledger.countLimit, evictions: ledger.evictions, expired: ledger.expired,
        rejections: ledger.rejections)
    }
    for shard in shards {
      let (hits, misses) = shard.withLock { ($0.hits, $0.misses) }
      result.hits += hits
      result.misses += misses
    }
    return result
  }

  private func removeExpired(_ digest: Digest256) {
    let time = now()
    // Asked again under the ledger: the key may have been stored anew since.
    let dead = ledger.withLock { takeExpired(digest, at: time, &$0) }
    withExtendedLifetime(dead) {}
  }

  private func takeExpired(_ digest: Digest256, at time: Int64, _ ledger: inout Ledger) -> Box? {
    let expires = shard(of: digest).withLock { $0.entry(digest)?.expires }
    guard let expires, expires != .max, expires <= time else { return nil }
    ledger.expired += 1
    return take(digest, &ledger)
  }

  private func take(_ digest: Digest256, _ ledger: inout Ledger) -> Box? {
    guard let entry = shard(of: digest).withLock({ $0.remove(digest) }) else { return nil }
    ledger.order.remove(entry.node)
    return entry.box
  }

  /// Moves the hand to the next entry that was not looked up since it last came by, and takes that.
  private func evictNext(_ ledger: inout Ledger) -> Box? {
    // Other threads may mark entries as fast as the hand clears them: after one round the next one goes.
    var chances = ledger.order.count
    while let (index, node) = ledger.order.first {
      if chances > 0, shard(of: node.digest).withLock({ $0.clearReference(node.digest) }) {
        chances -= 1
        ledger.order.moveToEnd(index)
        continue
      }
      ledger.evictions += 1
      return take(node.digest, &ledger)
    }
    return nil
  }
}
