extension DecodeLimits {
  /// A check that stops a decode whose task was cancelled or that takes too long. Decoders call it between rows, blocks
  /// or frames: often enough to end within 50 ms, rarely enough to cost nothing.
  public struct DeadlineChecker: Sendable {
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

  /// A stopwatch that runs pieces of work under the time limit and counts their time only, not the time between them;
  /// for incremental decoders. One thread at a time; pieces do not nest.
  public final class Stopwatch {
    private let limits: DecodeLimits
    private let now: () -> ContinuousClock.Instant
    private var spent = Duration.zero

    /// Creates a stopwatch without elapsed time.
    public convenience init(_ limits: DecodeLimits) {
      self.init(limits, now: { ContinuousClock.now })
    }

    /// Creates a stopwatch with another clock.
    init(_ limits: DecodeLimits, now: @escaping () -> ContinuousClock.Instant) {
      self.limits = limits
      self.now = now
    }

    /// Resets the elapsed time.
    public func restart() { spent = .zero }

    /// Runs a piece of work under the remaining time.
    ///
    /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` with the time of all pieces, and the errors of `work`.
    public func run<Result>(
      _ work: (DeadlineChecker) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
      var rest = limits
      rest.maxDuration = limits.maxDuration - spent
      let start = now()
      defer { spent += now() - start }
      do throws(ImagingError) {
        return try work(DeadlineChecker(rest))
      } catch .limitExceeded(.duration, let value, _) {
        throw .limitExceeded(
          .duration, value: value + Int(spent / .milliseconds(1)),
          limit: Int(limits.maxDuration / .milliseconds(1)))
      }
    }
  }

  /// A stopwatch for the frames of an animation that adds up the time of a pass over them; for decoders that go from
  /// frame to frame. Each repetition of an animation is a new pass. One thread at a time.
  public final class PassStopwatch {
    private let stopwatch: Stopwatch
    private var last = 0

    /// Creates a stopwatch before the first frame.
    public convenience init(_ limits: DecodeLimits) {
      self.init(Stopwatch(limits))
    }

    init(_ stopwatch: Stopwatch) {
      self.stopwatch = stopwatch
    }

    /// Runs the work of decoding a frame. A frame before the last one begins a new pass.
    ///
    /// - Throws: The errors of ``Stopwatch/run(_:)``, for the time of the pass.
    public func run<Result>(
      to index: Int, _ work: (DeadlineChecker) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
      if index < last { stopwatch.restart() }
      last = index
      return try stopwatch.run(work)
    }
  }
}
