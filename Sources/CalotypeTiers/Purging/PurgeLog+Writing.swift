import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

extension PurgeLog {
  /// Whether the storage refuses numbers that are taken.
  func isConditional() async throws(CachingError) -> Bool {
    if let known = book.withLock({ $0.isConditional }) { return known }
    let answer = try await storage.supportsConditionalWrites()
    book.withLock { $0.isConditional = answer }
    return answer
  }

  /// Writes an entry at the next free number.
  func write(_ entry: Data) async throws(CachingError) -> Int {
    for attempt in 1...max(1, configuration.maxTries) {
      let number = book.withLock { $0.table.lastNumber } + 1
      if try await storage.put(entry, at: number) { return number }
      let before = applied
      try await catchUp(readsSnapshot: false)
      // A write that is still under way cannot be read yet.
      guard applied == before else { continue }
      try await pause(.milliseconds(Int64(20 * attempt)) * Double.random(in: 0.5...1))
    }
    throw .failed(
      operation: "purge", reason: "other nodes took \(configuration.maxTries) numbers in a row",
      isRetryable: true)
  }

  /// Writes an entry at a number that Redis gave.
  func writeNumbered(_ entry: Data) async throws(CachingError) -> Int {
    guard let announcing else {
      throw .failed(
        operation: "purge",
        reason: "unsupported: the storage has no conditional writes, and there is no Redis to number entries",
        isRetryable: false)
    }
    try await catchUp(readsSnapshot: false)
    let number = try await announcing.nextNumber(after: book.withLock { $0.table.lastNumber })
    let start = elapsed()
    guard try await storage.put(entry, at: number), elapsed() - start < configuration.gapTimeout / 2 else {
      // Other nodes may have stopped to wait for this number.
      throw .failed(operation: "purge", reason: "the entry was written too late", isRetryable: true)
    }
    return number
  }

  /// Writes a snapshot now and then, so that nodes start faster and old entries may expire.
  func writeSnapshot(after number: Int) async {
    guard number % max(1, configuration.snapshotInterval) == 0 else { return }
    let table = book.withLock { $0.table }
    guard table.missing.isEmpty, let bytes = PurgeEntryCoding.snapshot(of: table) else { return }
    try? await storage.putSnapshot(bytes, at: table.position)
  }

  private func pause(_ duration: Duration) async throws(CachingError) {
    do {
      try await clock.sleep(for: duration)
    } catch {
      throw .cancelled
    }
  }
}
