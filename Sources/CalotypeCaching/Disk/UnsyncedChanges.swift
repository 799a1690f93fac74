/// Changes that a loss of power may undo. The thread of a ``DiskCache`` notes them, and flushes take them.
struct UnsyncedChanges: Sendable {
  /// Records that were stored. Removed ones are left out, so that the count limit of the cache bounds them, too.
  var records: Set<Digest256> = []
  /// Fan-out folders, by number, in which a record was stored or removed.
  var fanOuts: Set<Int> = []
  /// Whether the journal or the index changed.
  var hasBooks = false
  /// Parent folders in which a folder was created.
  var folders: Set<String> = []
  /// Whether there was a flush; flushed records are replaced with more care from then on.
  var isFlushed = false

  /// Whether there is nothing to synchronize.
  var isEmpty: Bool { records.isEmpty && fanOuts.isEmpty && !hasBooks && folders.isEmpty }

  /// Notes a stored record.
  mutating func store(_ digest: Digest256) {
    records.insert(digest)
    fanOuts.insert(Int(digest.word0 >> 56))
  }

  /// Notes a removed record.
  mutating func remove(_ digest: Digest256) {
    records.remove(digest)
    fanOuts.insert(Int(digest.word0 >> 56))
  }

  /// Takes all changes.
  mutating func take() -> UnsyncedChanges {
    defer {
      self = UnsyncedChanges()
      isFlushed = true
    }
    return self
  }

  /// Puts back changes that could not be synchronized.
  mutating func putBack(_ changes: UnsyncedChanges) {
    records.formUnion(changes.records)
    fanOuts.formUnion(changes.fanOuts)
    hasBooks = hasBooks || changes.hasBooks
    folders.formUnion(changes.folders)
  }
}
