/// How a load treats an earlier failure that a ``FailureMemory`` remembers.
public enum FailurePolicy: String, Hashable, Sendable, CaseIterable {
  /// The memory may answer in place of the source, with ``LoadingError/recentlyFailed(_:code:retryAfter:)``.
  case respect
  /// The source is tried anyway. A success erases the remembered failure, another failure leaves it unchanged.
  case ignore
  /// The failure is erased, then the source is tried. Another failure counts as the first.
  case reset
}
