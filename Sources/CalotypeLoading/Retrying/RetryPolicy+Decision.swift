extension RetryPolicy {
  /// The decision of a ``RetryPolicy`` about an error.
  public enum Decision: Hashable, Sendable {
    /// Retry after this time.
    case retry(after: Duration)
    /// The error is final.
    case giveUp(Reason)

    /// Why there is no retry.
    public enum Reason: String, Hashable, Sendable {
      /// The same request would fail in the same way, or a retry would do harm.
      case pointless
      /// The policy allows no more retries.
      case noRetriesLeft
      /// The server asks for more time than the policy grants.
      case asksForTooLong
      /// The caller's deadline comes before the retry.
      case deadlineTooNear
    }
  }
}
