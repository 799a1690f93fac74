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
  /// Runs pieces of work under the time limit, which counts their time and not that between them: for decoders that
  /// are fed while bytes arrive. One thread at a time; pieces do not nest.
  public final class Stopwatch {
    private let limits: DecodeLimits
    private var spent = Duration.zero

    /// Nothing is spent yet.
    public init(_ limits: DecodeLimits) {
      self.limits = limits
    }

    /// Runs a piece of work with a watch on what is left of the time.
    ///
    /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` with the time of all pieces, and what `work` throws.
    public func run<Result>(
      _ work: (Watch) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
      var rest = limits
      rest.maxDuration = limits.maxDuration - spent
      let start = ContinuousClock.now
      defer { spent += ContinuousClock.now - start }
      do throws(ImagingError) {
        return try work(Watch(rest))
      } catch .limitExceeded(.duration, let value, _) {
        throw .limitExceeded(
          .duration, value: value + Int(spent / .milliseconds(1)),
          limit: Int(limits.maxDuration / .milliseconds(1)))
      }
    }
  }
}
