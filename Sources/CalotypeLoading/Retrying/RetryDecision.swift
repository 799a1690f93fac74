/// What a ``RetryPolicy`` makes of an error.
public enum RetryDecision: Hashable, Sendable {
  /// Try again after that time, and not before.
  case retry(after: Duration)
  /// The error is final.
  case giveUp(Reason)

  /// Why there is no other try.
  public enum Reason: String, Hashable, Sendable {
    /// The same request would fail in the same way, or a retry would do harm.
    case pointless
    /// The policy allows no more.
    case noRetriesLeft
    /// The server asks for more time than the policy grants.
    case asksForTooLong
    /// The caller's deadline comes before the retry.
    case deadlineTooNear
  }
}
