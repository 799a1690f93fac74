extension DiskCache {
  /// The result of reading every byte of a ``DiskCache``.
  public struct VerifyReport: Hashable, Codable, Sendable {
    /// Undamaged records.
    public var intact = 0
    /// Their length, headers included.
    public var bytes = 0
    /// Paths of damaged records, which were removed unless the folder is read-only.
    public var damaged: [String] = []
  }
}
