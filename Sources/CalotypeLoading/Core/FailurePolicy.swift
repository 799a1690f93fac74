/// What a load makes of an earlier failure that a ``FailureMemory`` remembers.
public enum FailurePolicy: String, Hashable, Sendable, CaseIterable {
  /// The memory may answer in place of the source, with ``LoadingError/recentlyFailed(_:code:retryAfter:)``.
  case respect
  /// The source is asked anyway. If it succeeds the failure is forgotten, otherwise it stands as it was.
  case ignore
  /// The failure is forgotten, then the source is asked; if it fails again, that counts as the first time.
  case reset
}
