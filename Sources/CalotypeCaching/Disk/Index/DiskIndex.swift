import CalotypeSupport

/// The in-memory index of a ``DiskCache``. ``DiskStore`` changes it; readers only ask whether a record may exist.
// `@unchecked`: the table is changed only by its owner, and only under the lock. The owner, which alone changes it,
// reads it without the lock; all others read it under the lock.
final class DiskIndex: @unchecked Sendable {
  private let lock = Lock(())
  private var table = IndexTable()
  /// The journal, and the length up to which the table includes it.
  private var journal: (any SharedFile)?
  private var offset = 0

  /// Whether certainly no record exists, by all writes of this and other processes so far.
  func isAbsent(_ digest: Digest256) -> Bool {
    let known = lock.withLock { _ -> (journal: any SharedFile, offset: Int)? in
      guard let journal, table[digest] == nil else { return nil }
      return (journal, offset)
    }
    guard let known, let status = try? known.journal.currentStatus() else { return false }
    return status.isLinked && status.size == known.offset
  }

  // MARK: For the owner

  /// Reads the table.
  func read<Result>(_ body: (borrowing IndexTable) -> Result) -> Result { body(table) }

  /// Reads the table in a closure that may throw.
  func reading<Result, Failure: Error>(
    _ body: (borrowing IndexTable) throws(Failure) -> Result
  ) throws(Failure) -> Result { try body(table) }

  /// Changes the table, which then includes the journal up to a new length.
  func change(offset: Int, _ body: (inout IndexTable) -> Void) {
    lock.withLock { _ in
      body(&table)
      self.offset = offset
    }
  }

  /// Corrects some entries.
  func update(_ entries: [IndexEntry]) {
    lock.withLock { _ in
      for entry in entries where table[entry.digest] != nil { table.put(entry) }
    }
  }

  /// Replaces the table; `nil` for the journal when nothing is certain.
  func replace(_ table: consuming IndexTable, journal: (any SharedFile)?, offset: Int) {
    // Freed outside of the lock: the old one may be large.
    var other = table
    lock.withLock { _ in
      swap(&self.table, &other)
      self.journal = journal
      self.offset = offset
    }
  }

  /// Records that the table is current as long as this journal has this length.
  func follow(_ journal: any SharedFile, offset: Int) {
    lock.withLock { _ in
      self.journal = journal
      self.offset = offset
    }
  }

  /// Makes every absence uncertain from now on.
  func invalidate() {
    lock.withLock { _ in journal = nil }
  }
}
