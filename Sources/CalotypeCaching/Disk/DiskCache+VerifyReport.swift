extension DiskCache {
  /// What a look at every byte of a ``DiskCache`` found.
  public struct VerifyReport: Hashable, Sendable {
    /// Records that are whole.
    public var intact = 0
    /// Their length, headers included.
    public var bytes = 0
    /// Paths of records that were damaged and are removed, unless the folder cannot be written.
    public var damaged: [String] = []
  }
}
