import CalotypeSupport

extension MemoryTable {
  func remove(_ digest: Digest256) -> Bool {
    let box = ledger.withLock { ledger -> Box? in
      ledger.live.remove(digest)
      return take(digest, &ledger)
    }
    return box != nil
  }

  func removeAll() {
    let released = ledger.withLock { ledger -> [Box] in
      ledger.live.removeAll()
      defer { ledger.order.removeAllMemories() }
      return ledger.order.all.compactMap { take(ledger.order.digest(at: $0), &ledger) }
    }
    withExtendedLifetime(released) {}
  }

  /// Removes all entries of a selection.
  func removeAll(_ selection: CacheSelection) -> Int {
    let released = ledger.withLock { ledger -> [Box] in
      let (entries, live) = ledger.digests(selection)
      for digest in live { ledger.live.remove(digest) }
      return entries.compactMap { take($0, &ledger) }
    }
    return released.count
  }

  /// Removes all expired entries.
  func removeExpired() -> Int {
    let time = now()
    let released = ledger.withLock { ledger -> [Box] in
      ledger.order.all.compactMap { takeExpired(ledger.order.digest(at: $0), at: time, &ledger) }
    }
    return released.count
  }

  func removeExpired(_ digest: Digest256, at time: Int64) {
    // Checked again under the lock of the state: the key may have a new value since.
    let released = ledger.withLock { takeExpired(digest, at: time, &$0) }
    withExtendedLifetime(released) {}
  }

  private func takeExpired(_ digest: Digest256, at time: Int64, _ ledger: inout MemoryTableState) -> Box? {
    let expires = withShard(digest) { $0.times(digest)?.expires }
    guard let expires, expires != .max, expires <= time else { return nil }
    ledger.expired += 1
    return take(digest, &ledger)
  }
}
