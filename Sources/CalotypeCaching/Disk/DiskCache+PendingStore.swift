extension DiskCache {
  /// A store that was handed over to a ``DiskCache``. The record can be read already, and is being written.
  public struct PendingStore: Sendable {
    let record: StagedRecord

    /// Waits until the record is on disk, as durable as the configuration demands.
    ///
    /// If a later store of the key replaces it, this returns when that one ends.
    ///
    /// - Throws: ``CachingError`` when the record could not be written: it is then not readable, and the previous
    ///   record of the key remains unless it was evicted to make room. ``CachingError/cancelled`` when the waiting task
    ///   is cancelled; the store continues.
    public func written() async throws(CachingError) {
      _ = try await record.ended()
    }
  }
}
