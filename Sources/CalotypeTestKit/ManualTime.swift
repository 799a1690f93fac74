public import FoundationEssentials
import CalotypeSupport

/// A clock that stands still until a test moves it, as a date and as an instant.
public final class ManualTime: Sendable {
  private let elapsed = Lock(Duration.zero)
  private let startDate: Date
  private let startInstant = ContinuousClock.now

  /// Starts at a date.
  public init(_ date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    startDate = date
  }

  /// Moves on, or back.
  public func advance(by duration: Duration) {
    elapsed.withLock { $0 += duration }
  }

  /// What a wall clock shows.
  public var date: Date {
    let (seconds, attoseconds) = elapsed.withLock { $0 }.components
    return startDate.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// What a clock shows that never jumps.
  public var instant: ContinuousClock.Instant {
    startInstant.advanced(by: elapsed.withLock { $0 })
  }
}
