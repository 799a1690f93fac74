extension MemoryTier {
  /// What became of a value that was given to a ``MemoryCache``.
  public enum StoreOutcome: Hashable, Sendable {
    /// It is stored; so many older values had to go.
    case stored(evicted: Int)
    /// It costs more than one entry may, so nothing is stored under its key now.
    case tooLarge(cost: Int, limit: Int)

    /// Whether the value is stored.
    public var isStored: Bool {
      if case .stored = self { true } else { false }
    }
  }
}
