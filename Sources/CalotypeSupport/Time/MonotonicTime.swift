import Glibc

/// A point in time of the monotonic clock, in nanoseconds.
package struct MonotonicTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since an arbitrary moment.
  package var nanoseconds: UInt64

  /// Creates a point in time.
  package init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// The present time.
  package static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  /// Later than any other.
  package static let distantFuture = MonotonicTime(nanoseconds: .max)

  package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Returns this time plus a duration. A duration of more than 292 years leads to the distant future; a negative one counts
  /// as zero.
  package func advanced(by duration: Duration) -> MonotonicTime {
    let count = duration.nanosecondCount
    let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(max(0, count)))
    return overflow || count == .max ? .distantFuture : MonotonicTime(nanoseconds: sum)
  }

  /// Returns the duration from this time to `later`; zero if `later` comes before.
  package func duration(to later: MonotonicTime) -> Duration {
    .nanoseconds(Int64(clamping: later.nanoseconds > nanoseconds ? later.nanoseconds - nanoseconds : 0))
  }

  /// Returns the milliseconds from `now` to this time, rounded up, at most `limit`.
  package func milliseconds(from now: MonotonicTime, limit: Int32) -> Int32 {
    if self <= now { return 0 }
    let wait = (nanoseconds - now.nanoseconds) / 1_000_000
    return wait >= UInt64(limit) ? limit : Int32(wait) + 1
  }
}
