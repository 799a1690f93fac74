/// What the caller says about a value beside its cost; most entries have none of it.
struct MemoryLabels: Sendable {
  var tags: [String] = []
  var rendition: MemoryTier.SizeVariant?
  /// Finds the value while it lives; only in caches with ``LiveValues``.
  var recall: MemoryBox.Recall?

  var isEmpty: Bool { tags.isEmpty && rendition == nil && recall == nil }
}

/// A value and all that is known of it, on its way into a ``MemoryTable``.
struct MemoryEntry: Sendable {
  var digest: Digest256
  var box: MemoryBox
  var cost: Int
  var times = MemoryShard.Times()
  /// Its key's, for the source.
  var words: CacheKeyText
  var labels = MemoryLabels()
}

/// What an entry was, without its value.
struct RemovedEntry: Sendable {
  var digest: Digest256
  var cost: Int
  var times: MemoryShard.Times
  /// Its key's, for the source.
  var words: CacheKeyText
  var labels: MemoryLabels

  /// The entry again, with its value.
  func restored(_ box: MemoryBox) -> MemoryEntry {
    MemoryEntry(digest: digest, box: box, cost: cost, times: times, words: words, labels: labels)
  }
}
