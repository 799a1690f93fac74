extension FlightLease {
  /// Ends the lease with a record that the shared cache has, or will have soon. A record of up to 64 KiB is handed to the nodes
  /// that wait; they read a larger one from the shared cache, after the pauses of ``FlightOutcome/readPauses``.
  public func end(with record: CacheRecord, for key: CacheKey) async {
    if record.data.count <= 64 << 10, let bytes = try? record.encoded(for: key) {
      await end(.value(bytes))
    } else {
      await end(.stored)
    }
  }
}
