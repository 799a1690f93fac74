extension MemoryTier {
  /// The outcome of storing a value in a ``MemoryCache``.
  public enum StoreOutcome: Hashable, Sendable {
    /// The value is stored; the number of values that were evicted for it.
    case stored(evicted: Int)
    /// The value exceeds the limit of one entry; the key has no value now.
    case tooLarge(cost: Int, limit: Int)

    /// Whether the value is stored.
    public var isStored: Bool {
      if case .stored = self { true } else { false }
    }
  }
}
