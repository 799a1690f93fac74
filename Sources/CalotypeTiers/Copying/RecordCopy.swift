package import CalotypeCaching
package import FoundationEssentials

/// Copies records from one tier to another, several at a time, within a limit of memory.
///
/// Records are verified before they are stored, and keep everything: keys, tags, lifetimes, responses, positions, times and
/// checksums. A record of the target that was stored at the same time or later stays, so that an interrupted copy is continued
/// by another one.
package struct RecordCopy: Sendable {
  /// The fate of a record.
  package enum Outcome: Sendable {
    /// So many bytes were copied, or would be.
    case copied(bytes: Int)
    /// The target has the same record, or a newer one.
    case kept
    /// No selection includes it.
    case unselected
    /// Its lifetime is over.
    case expired
    /// It may not be shared: it is private, must not be stored, or is a part.
    case unshared
    /// It is longer than records of the target may be.
    case tooLarge
    /// The target is full.
    case noRoom
    /// It was removed meanwhile.
    case gone
    /// It is not intact.
    case damaged
    /// It could not be read or stored.
    case failed(any Error)
  }

  /// A record that has ended.
  package struct Event: Sendable {
    /// Its place in the source.
    package let place: String
    package let outcome: Outcome
  }

  /// Failures in a row after which the copy is given up: the tier is gone, or full.
  package static let maxFailures = 16

  let source: any RecordTier
  let target: any RecordTier
  let selections: [CacheSelection]
  let isDryRun: Bool
  let transfers: Int
  let byteLimit: Int
  let now: @Sendable () -> Date

  /// - Parameters:
  ///   - source: The tier with the records.
  ///   - target: The tier that gets them.
  ///   - selections: Those to copy; all if there are none.
  ///   - isDryRun: Whether nothing is stored.
  ///   - transfers: The most records at a time.
  ///   - byteLimit: The most bytes of all records at a time; one may be longer.
  ///   - now: The time, for expiry.
  package init(
    from source: any RecordTier, to target: any RecordTier, selections: [CacheSelection] = [],
    isDryRun: Bool = false, transfers: Int = 8, byteLimit: Int = 64 << 20,
    now: @escaping @Sendable () -> Date = { Date.now }
  ) {
    (self.source, self.target) = (source, target)
    self.selections = selections
    self.isDryRun = isDryRun
    self.transfers = max(1, transfers)
    self.byteLimit = byteLimit
    self.now = now
  }

  /// Copies all records.
  ///
  /// - Parameter report: Gets the fate of each record, one at a time.
  /// - Throws: Errors of listings; that of the last of ``maxFailures`` failures in a row; `CachingError.failed` when as many
  ///   have no room in a row; `CancellationError`.
  package func run(_ report: (Event) -> Void) async throws {
    do {
      try await copyAll(report)
    } catch {
      // Tiers have errors of their own for it.
      try Task.checkCancellation()
      throw error
    }
    try Task.checkCancellation()
  }

  private func copyAll(_ report: (Event) -> Void) async throws {
    try await withThrowingTaskGroup(of: Ended.self) { group in
      var window = CopyWindow(transfers: transfers, byteLimit: byteLimit)
      var streak = FailureStreak()
      var position: String?
      repeat {
        let page = try await source.page(after: position)
        position = page.next
        for item in page.items {
          while !window.admits(item.bytes), let ended = try await group.next() {
            window.end(ended.item.bytes)
            try streak.add(ended, report, source)
          }
          try Task.checkCancellation()
          window.begin(item.bytes)
          group.addTask { Ended(item: item, outcome: await transfer(item)) }
        }
      } while position != nil
      for try await ended in group { try streak.add(ended, report, source) }
    }
  }

  private struct Ended: Sendable {
    let item: RecordItem
    let outcome: Outcome
  }

  /// Reports records, and gives up after failures in a row.
  private struct FailureStreak {
    private var count = 0

    mutating func add(_ ended: Ended, _ report: (Event) -> Void, _ source: any RecordTier) throws {
      try Task.checkCancellation()
      report(Event(place: source.place(ended.item.digest), outcome: ended.outcome))
      switch ended.outcome {
      case .failed, .noRoom: count += 1
      case .copied, .kept: count = 0
      default: break
      }
      guard count >= RecordCopy.maxFailures else { return }
      if case .failed(let error) = ended.outcome { throw error }
      throw CachingError.failed(
        operation: "copy",
        reason: "the target has no room for \(count) records in a row: trim it, or raise its limit",
        isRetryable: false)
    }
  }

  // MARK: One record

  private func transfer(_ item: RecordItem) async -> Outcome {
    do {
      let decision = CopyDecision(
        selections: selections, isShared: target.isShared, recordLimit: target.recordLimit)
      var head = item.head
      if head == nil, !selections.isEmpty || isDryRun { head = try await source.head(item.digest) }
      // Before the target is asked.
      if let head, let refusal = decision.refusal(head, existing: nil, now: now()) { return refusal }
      let existing = try await target.head(item.digest)
      if head == nil, existing != nil { head = try await source.head(item.digest) }
      if let head {
        if let refusal = decision.refusal(head, existing: existing, now: now()) { return refusal }
        if isDryRun { return .copied(bytes: head.byteCount) }
      }
      guard let record = try await source.record(item.digest) else { return .gone }
      if let refusal = decision.refusal(record.head, existing: existing, now: now()) { return refusal }
      if isDryRun { return .copied(bytes: record.bytes.count) }
      return switch try await target.store(record, digest: item.digest, over: existing) {
      case .stored: .copied(bytes: record.bytes.count)
      case .superseded: .kept
      case .expired: .expired
      case .noRoom: .noRoom
      }
    } catch is PortableRecord.Damage {
      return .damaged
    } catch {
      return .failed(error)
    }
  }
}
