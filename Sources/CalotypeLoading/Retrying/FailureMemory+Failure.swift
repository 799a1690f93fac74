extension FailureMemory {
  /// A source that is not retried for a while.
  public struct Failure: Hashable, Sendable {
    /// The source; without the bytes, if it was made of bytes.
    public let source: ImageSource
    /// The ``LoadingError/code`` of the error, or a custom code of the caller.
    public let code: String
    /// A description of the error.
    public let message: String
    /// The number of failures in a row, each after the previous one expired.
    public let count: Int
    /// When it last failed.
    public let when: ContinuousClock.Instant
    /// When it may be retried.
    public let until: ContinuousClock.Instant
  }

  /// The lifetimes and the number of remembered failures.
  public struct Configuration: Hashable, Sendable {
    /// How long a source is not retried after its first failure. 60 seconds by default.
    public var baseDuration: Duration
    /// The longest such time. A day by default.
    ///
    /// A source that did not fail for that long after its failure expired starts anew.
    public var maxDuration: Duration
    /// The most sources to remember, 10,000 by default. When more fail, the one that expires soonest is forgotten.
    public var countLimit: Int

    /// - Parameters:
    ///   - baseDuration: How long a source is not retried after its first failure.
    ///   - maxDuration: The longest such time.
    ///   - countLimit: The most sources to remember.
    public init(
      baseDuration: Duration = .seconds(60), maxDuration: Duration = .seconds(86_400),
      countLimit: Int = 10_000
    ) {
      self.baseDuration = baseDuration
      self.maxDuration = maxDuration
      self.countLimit = countLimit
    }
  }
}
