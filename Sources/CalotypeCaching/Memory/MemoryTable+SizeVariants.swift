import CalotypeSupport

extension MemoryTable {
  /// Returns the value of the smallest entry that is at least as large.
  func lookUp(coveringAtLeast sizeVariant: MemoryTier.SizeVariant, allowingStale: Bool) -> Box? {
    for digest in ledger.withLock({ $0.sizeVariants.covering(sizeVariant) }) {
      // An expired size does not count; the next larger one may.
      var box: Box?
      guard contains(digest, allowingStale: allowingStale),
        lookUp(digest, allowingStale: allowingStale, use: { box = $0 })
      else { continue }
      ledger.withLock { $0.coveringHits += 1 }
      return box
    }
    return nil
  }
}
