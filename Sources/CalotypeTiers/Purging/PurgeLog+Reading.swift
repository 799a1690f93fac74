import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

extension PurgeLog {
  /// The most entries that are read at the same time.
  private static let readWidth = 8
  /// The most entries of one list.
  private static let listLimit = 1_000

  /// Applies everything that the storage has.
  func catchUp(readsSnapshot: Bool) async throws(CachingError) {
    book.withLock { $0.statistics.polls += 1 }
    if readsSnapshot { try await readSnapshot() }
    while true {
      let start = applied
      let numbers = try await storage.numbers(after: start)
      // A hole that no snapshot was read for may be one of expired entries.
      if !readsSnapshot, let first = numbers.first, first > start + 1 { try await readSnapshot() }
      passOverExpired(before: numbers.first)
      let wanted = numbers.filter { $0 > applied }.sorted().prefix(Self.listLimit)
      apply(try await entries(Array(wanted)))
      skipLostNumbers()
      guard numbers.count >= Self.listLimit, applied > start else { break }
    }
    let now = elapsed()
    book.withLock { book in
      book.isCurrent = true
      book.lastRead = now
    }
    savePosition()
  }

  private func entries(_ numbers: [Int]) async throws(CachingError) -> [(Int, SharedPurge)] {
    var found: [(Int, SharedPurge)] = []
    for start in stride(from: 0, to: numbers.count, by: Self.readWidth) {
      let part = numbers[start..<min(start + Self.readWidth, numbers.count)]
      do {
        found += try await withThrowingTaskGroup { group in
          for number in part {
            group.addTask { (number, try await self.storage.entry(at: number)) }
          }
          var entries: [(Int, SharedPurge)] = []
          for try await (number, bytes) in group {
            if let bytes { entries.append((number, PurgeEntryCoding.decode(bytes))) }
          }
          return entries
        }
      } catch let error as CachingError {
        throw error
      } catch {
        throw .cancelled
      }
    }
    return found.sorted { $0.0 < $1.0 }
  }

  /// Replaces the table by the newest snapshot, if that is newer.
  private func readSnapshot() async throws(CachingError) {
    guard let (number, bytes) = try await storage.newestSnapshot(), number > applied else { return }
    let limits = book.withLock { $0.table.limits }
    guard let table = PurgeEntryCoding.table(bytes, at: number, limits: limits) else { return }
    let (missed, observers) = book.withLock { book -> ([SharedPurge], [@Sendable ([SharedPurge]) -> Void]) in
      let before = max(book.table.position, book.isCurrent ? 0 : book.saved)
      book.table = table
      return (Self.purges(in: table, after: before), Array(book.observers.values))
    }
    tell(missed, observers)
  }

  /// The entries of a table after a number, as far as it has kept them.
  static func purges(in table: PurgeTable, after number: Int) -> [SharedPurge] {
    var purges: [SharedPurge] = []
    let time = Date(timeIntervalSince1970: 0)
    func add(_ scope: SharedPurge.Scope, _ marks: PurgeMarks) {
      if marks.gone > number {
        purges.append(SharedPurge(scope, mode: .gone, time: time))
      } else if marks.stale > number {
        purges.append(SharedPurge(scope, mode: .stale, time: time))
      }
    }
    add(.all, table.floor)
    for (selection, marks) in table.contents { add(.selection(selection), marks) }
    return purges
  }

  /// Applies entries, and tells the observers of those of other nodes.
  func apply(_ entries: [(number: Int, purge: SharedPurge)], isOwn: Bool = false) {
    let (others, observers) = book.withLock { book -> ([SharedPurge], [@Sendable ([SharedPurge]) -> Void]) in
      var others: [SharedPurge] = []
      for (number, purge) in entries {
        let effect = book.table.apply(purge, number: number)
        guard effect == .applied || effect == .early else { continue }
        book.statistics.applied += 1
        if isOwn { book.statistics.appended += 1 }
        // At the start, the disk cache has followed some.
        if !isOwn, book.isCurrent || number > book.saved { others.append(purge) }
      }
      return (others, Array(book.observers.values))
    }
    tell(others, observers)
    if isCurrent { savePosition() }
  }

  /// Unreadable entries count as a purge of everything.
  private func passOverExpired(before first: Int?) {
    guard let first else { return }
    let observers = book.withLock { book -> [@Sendable ([SharedPurge]) -> Void] in
      guard first - book.table.position > book.table.limits.gaps else { return [] }
      book.table.passOver(to: first - 1)
      return Array(book.observers.values)
    }
    tell([SharedPurge(.all, mode: .stale, time: Date(timeIntervalSince1970: 0))], observers)
  }

  private func tell(_ purges: [SharedPurge], _ observers: [@Sendable ([SharedPurge]) -> Void]) {
    for start in stride(from: 0, to: purges.count, by: 1_000) {
      let part = Array(purges[start..<min(start + 1_000, purges.count)])
      for observer in observers { observer(part) }
    }
  }

  /// Stops to wait for numbers that were taken and never written.
  private func skipLostNumbers() {
    let now = elapsed()
    book.withLock { book in
      guard let last = book.table.missing.last else {
        book.gapStart = nil
        return
      }
      guard let start = book.gapStart else {
        book.gapStart = now
        return
      }
      guard now - start >= configuration.gapTimeout else { return }
      book.statistics.skipped += book.table.missing.count
      book.table.skip(to: last)
      book.gapStart = nil
    }
  }

  /// Keeps the number of the last entry that observers were told of.
  private func savePosition() {
    let number = book.withLock { book -> Int? in
      guard book.table.position > book.saved else { return nil }
      book.saved = book.table.position
      return book.saved
    }
    if let number { positionFile?.save(number) }
  }
}
