extension FlightLease {
  /// Ends the lease with a record. One of up to 64 KiB is handed to the nodes that wait; they read a larger one from the shared
  /// cache, after the pauses of ``FlightOutcome/readPauses``.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - key: Its key.
  ///   - isShared: Whether the shared cache has it, or will have it soon. If not, each node makes a larger one itself.
  public func end(with record: CacheRecord, for key: CacheKey, isShared: Bool = true) async {
    if record.data.count <= 64 << 10, let bytes = try? record.encoded(for: key) {
      await end(.value(bytes))
    } else {
      await end(isShared ? .stored : .isPrivate)
    }
  }
}
