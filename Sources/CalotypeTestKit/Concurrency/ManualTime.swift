public import FoundationEssentials

/// Time that stands still until a test moves it: as a date, as an instant, and as a clock to sleep by.
///
/// ```swift
/// let time = ManualTime()
/// let cache = MemoryCache<Int>(byteLimit: 1 << 20, now: { time.instant })
/// time.advance(by: .seconds(60))
/// ```
public final class ManualTime: Sendable {
  /// The same time, for code that sleeps.
  public let clock: TestClock
  private let startDate: Date
  private let startInstant: ContinuousClock.Instant

  /// Starts at a date.
  public init(_ date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    startDate = date
    startInstant = ContinuousClock.now
    clock = TestClock(now: startInstant)
  }

  /// Moves on, or back, and wakes the tasks that sleep by ``clock`` and whose deadline has come.
  public func advance(by duration: Duration) {
    clock.advance(by: duration)
  }

  /// The time of a wall clock.
  public var date: Date {
    let (seconds, attoseconds) = startInstant.duration(to: clock.now).components
    return startDate.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// The time of a monotonic clock.
  public var instant: ContinuousClock.Instant { clock.now }
}
