/// Changes that a loss of power may undo. The thread of a ``DiskCache`` notes them, and flushes take them.
struct UnsyncedChanges: Sendable {
  /// Records that were stored. Removed ones are left out, so that the count limit of the cache bounds them, too.
  var records: Set<Digest256> = []
  /// The checksums of the payloads that some of them share.
  var payloads: [Digest256: Checksum] = [:]
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
  mutating func store(_ digest: Digest256, sharing payload: Checksum? = nil) {
    records.insert(digest)
    payloads[digest] = payload
    fanOuts.insert(Int(digest.word0 >> 56))
  }

  /// Notes a removed record.
  mutating func remove(_ digest: Digest256) {
    forget(digest)
    fanOuts.insert(Int(digest.word0 >> 56))
  }

  /// Notes that there is no such record any more.
  mutating func forget(_ digest: Digest256) {
    records.remove(digest)
    payloads[digest] = nil
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
    // What was stored since is newer.
    payloads.merge(changes.payloads.filter { changes.records.contains($0.key) && !records.contains($0.key) })
    {
      newer, _ in newer
    }
    records.formUnion(changes.records)
    fanOuts.formUnion(changes.fanOuts)
    hasBooks = hasBooks || changes.hasBooks
    folders.formUnion(changes.folders)
  }
}
