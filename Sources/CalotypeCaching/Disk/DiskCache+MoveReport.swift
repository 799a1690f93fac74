extension DiskCache {
  /// The result of moving the records of another folder into the folder of a ``DiskCache``.
  public struct MoveReport: Hashable, Codable, Sendable {
    /// Records that were moved.
    public var moved = 0
    /// Records that were removed from the other folder because this one had the same key with the same age or newer.
    public var superseded = 0
    /// Records that remain in the other folder because they exceed the limits of this one.
    public var remaining = 0
  }
}
