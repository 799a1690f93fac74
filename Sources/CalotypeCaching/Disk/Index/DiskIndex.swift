import CalotypeSupport

/// The index of a ``DiskCache`` in memory. The books change it; readers only ask whether a record can be there.
// `@unchecked`: the table is changed only by its owner, and only under the lock. The owner reads it without, since
// nobody else changes it; all others read it under the lock.
final class DiskIndex: @unchecked Sendable {
  private let lock = Lock(())
  private var table = IndexTable()
  /// The journal up to which the table is right, and its length then.
  private var journal: (any SharedFile)?
  private var offset = 0

  /// Whether there is certainly no record, by what this process and all others wrote until now.
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

  /// Reads the table for something that may fail.
  func reading<Result, Failure: Error>(
    _ body: (borrowing IndexTable) throws(Failure) -> Result
  ) throws(Failure) -> Result { try body(table) }

  /// Changes the table and says how far into the journal it goes.
  func change(offset: Int, _ body: (inout IndexTable) -> Void) {
    lock.withLock { _ in
      body(&table)
      self.offset = offset
    }
  }

  /// Corrects what is known of some records.
  func update(_ entries: [IndexEntry]) {
    lock.withLock { _ in
      for entry in entries where table[entry.digest] != nil { table.put(entry) }
    }
  }

  /// Puts a new table in the place of the old one; `nil` for the journal when nothing is certain.
  func replace(_ table: consuming IndexTable, journal: (any SharedFile)?, offset: Int) {
    // Freed outside of the lock: the old one may be large.
    var other = table
    lock.withLock { _ in
      swap(&self.table, &other)
      self.journal = journal
      self.offset = offset
    }
  }

  /// The table is right as long as this journal has this length.
  func follow(_ journal: any SharedFile, offset: Int) {
    lock.withLock { _ in
      self.journal = journal
      self.offset = offset
    }
  }

  /// From now on nothing is certainly absent.
  func invalidate() {
    lock.withLock { _ in journal = nil }
  }
}
