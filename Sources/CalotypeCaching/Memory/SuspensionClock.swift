import Glibc
import Synchronization

/// A cheap clock that includes suspensions of the machine. Coarse clocks stand still during a suspension; this one
/// reads the suspended time once a second.
final class SuspensionClock: Sendable {
  static let shared = SuspensionClock(read: { clock in
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  })

  /// Nanoseconds between two look-ups.
  static let interval: Int64 = 1_000_000_000
  /// Differences below this are the time between two readings.
  private static let tolerance: Int64 = 100_000_000

  private let read: @Sendable (clockid_t) -> Int64
  private let next = Atomic<Int64>(.min)
  private let total = Atomic<Int64>(0)

  /// - Parameter read: Reads a clock, in nanoseconds.
  init(read: @escaping @Sendable (clockid_t) -> Int64) {
    self.read = read
  }

  /// Nanoseconds of a coarse clock that includes suspended time. It lags for up to ``interval`` after a suspension.
  var coarseTime: Int64 {
    let time = read(CLOCK_MONOTONIC_COARSE)
    if time >= next.load(ordering: .relaxed) { look(at: time) }
    return time + total.load(ordering: .relaxed)
  }

  private func look(at time: Int64) {
    let suspended = read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC)
    if suspended - total.load(ordering: .relaxed) > Self.tolerance {
      total.store(suspended, ordering: .relaxed)
    }
    next.store(time + Self.interval, ordering: .relaxed)
  }
}
