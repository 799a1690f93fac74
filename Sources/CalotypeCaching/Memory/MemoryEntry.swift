/// Optional properties of an entry; most entries have none.
struct MemoryLabels: Sendable {
  var tags: [String] = []
  var sizeVariant: MemoryTier.SizeVariant?
  /// Finds the value while it lives; only in caches with ``LiveValues``.
  var recall: MemoryBox.Recall?

  var isEmpty: Bool { tags.isEmpty && sizeVariant == nil && recall == nil }
}

/// A value and its properties, on its way into a ``MemoryTable``.
struct MemoryEntry: Sendable {
  var digest: Digest256
  var box: MemoryBox
  var cost: Int
  var times = MemoryShard.Times()
  /// The text of its key, for the source.
  var words: CacheKeyText
  var labels = MemoryLabels()
}

/// A removed entry without its value.
struct RemovedEntry: Sendable {
  var digest: Digest256
  var cost: Int
  var times: MemoryShard.Times
  /// The text of its key, for the source.
  var words: CacheKeyText
  var labels: MemoryLabels

  /// Restores the entry with its value.
  func restored(_ box: MemoryBox) -> MemoryEntry {
    MemoryEntry(digest: digest, box: box, cost: cost, times: times, words: words, labels: labels)
  }
}
