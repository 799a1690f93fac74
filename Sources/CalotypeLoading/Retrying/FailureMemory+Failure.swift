extension FailureMemory {
  /// A source that is left alone.
  public struct Failure: Hashable, Sendable {
    /// The source; without the bytes, if it was made of bytes.
    public let source: ImageSource
    /// The ``LoadingError/code`` of the error, or a name of the caller's own.
    public let code: String
    /// What was wrong, for people.
    public let message: String
    /// How often it failed in a row, each time after it was left alone.
    public let count: Int
    /// When it failed last.
    public let when: ContinuousClock.Instant
    /// When it may be asked again.
    public let until: ContinuousClock.Instant
  }

  /// How long failures are remembered, and how many.
  public struct Configuration: Hashable, Sendable {
    /// How long a source is left alone after it failed once. 60 seconds by default.
    public var baseDuration: Duration
    /// The longest that doubling leads to. A day by default.
    ///
    /// A source that may be asked, and did not fail for that long, begins anew.
    public var maxDuration: Duration
    /// Sources to remember, 10,000 by default. When more fail, the one that may be asked soonest is forgotten.
    public var countLimit: Int

    /// - Parameters:
    ///   - baseDuration: How long a source is left alone after it failed once.
    ///   - maxDuration: The longest that doubling leads to.
    ///   - countLimit: Sources to remember.
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
