/// Conversions to nanoseconds in 64 bits, limited so that sums over a whole queue cannot overflow.
enum Nanoseconds {
  /// The largest cost of a job: one hour.
  static var maximumCost: Int64 { 3_600_000_000_000 }
  /// The largest time: 36 years.
  static var maximumTime: Int64 { 1 << 60 }

  /// Returns a duration in nanoseconds, within plus and minus ``maximumTime``.
  static func of(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let limit = maximumTime / 1_000_000_000 - 1
    if seconds >= limit { return maximumTime }
    if seconds <= -limit { return -maximumTime }
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
