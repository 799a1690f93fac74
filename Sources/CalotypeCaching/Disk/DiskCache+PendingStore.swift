extension DiskCache {
  /// A store that was handed over to a ``DiskCache``: the record can be read already, and is being written.
  public struct PendingStore: Sendable {
    let record: StagedRecord

    /// Waits until the record is on disk, as safe as the configuration asks for.
    ///
    /// A later store of the same key may take its place; then this returns when that is settled.
    ///
    /// - Throws: ``CachingError`` when it could not be written: it cannot be read then, and what the key had before stays
    ///   unless space had to be made. ``CachingError/cancelled`` when the waiting task is; the store goes on.
    public func written() async throws(CachingError) {
      _ = try await record.ended()
    }
  }
}
