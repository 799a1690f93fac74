import CalotypeSupport

extension MemoryTable {
  /// The value of the smallest entry that is at least as large.
  func lookUp(coveringAtLeast rendition: MemoryTier.SizeVariant, allowingStale: Bool) -> Box? {
    for digest in ledger.withLock({ $0.renditions.covering(rendition) }) {
      // What is too old is no answer; the next one may be.
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
