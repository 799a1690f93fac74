extension DecodeLimits {
  /// Stops a decode whose task was cancelled or that takes too long. Asked between rows, blocks or frames: often
  /// enough that a decode ends within 50 ms, seldom enough to cost nothing.
  public struct Watch: Sendable {
    private let start = ContinuousClock.now
    private let limit: Duration

    /// Starts the clock.
    public init(_ limits: DecodeLimits) {
      limit = limits.maxDuration
    }

    /// - Throws: ``ImagingError/cancelled``, or ``ImagingError/limitExceeded(_:value:limit:)`` for the time.
    public func check() throws(ImagingError) {
      if Task.isCancelled { throw .cancelled }
      let elapsed = ContinuousClock.now - start
      if elapsed > limit {
        throw .limitExceeded(
          .duration, value: Int(elapsed / .milliseconds(1)), limit: Int(limit / .milliseconds(1)))
      }
    }
  }
}
