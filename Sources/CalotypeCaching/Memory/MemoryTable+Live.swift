import CalotypeSupport

extension MemoryTable {
  /// Finds an evicted value that is still alive, and stores it again.
  func revive(_ digest: Digest256, allowingStale: Bool) -> Box? {
    guard let slot = ledger.withLock({ $0.live.slot(digest) }) else { return nil }
    guard let box = slot.recall() else {
      ledger.withLock { _ = $0.live.remove(digest, number: slot.number) }
      return nil
    }
    let times = slot.entry.times
    if times.first != .max {
      let time = now()
      if times.expires <= time {
        ledger.withLock { _ = $0.live.remove(digest, number: slot.number) }
        return nil
      }
      if times.stale <= time, !allowingStale { return nil }
    }
    guard restore(slot, box) else { return nil }
    withShard(digest) { $0.missWasHit() }
    return box
  }

  /// Forgets weakly held values that have been released.
  func sweepLive() {
    let slots = ledger.withLock { $0.live.all }
    let dead = slots.filter { $0.recall() == nil }
    ledger.withLock { $0.live.sweep(dead) }
  }
}
