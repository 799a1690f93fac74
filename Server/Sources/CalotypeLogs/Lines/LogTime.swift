import Glibc

/// Moments as text of RFC 3339, in UTC.
enum LogTime {
  /// The present, in milliseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Returns the text of a moment, such as `2026-01-01T00:00:00.000Z`.
  static func text(of milliseconds: Int64) -> String {
    let clamped = max(milliseconds, 0)
    var seconds = time_t(clamped / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ value: some BinaryInteger, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return digits(parts.tm_year + 1900, 4) + "-" + digits(parts.tm_mon + 1, 2) + "-"
      + digits(parts.tm_mday, 2)
      + "T" + digits(parts.tm_hour, 2) + ":" + digits(parts.tm_min, 2) + ":" + digits(parts.tm_sec, 2)
      + "." + digits(clamped % 1000, 3) + "Z"
  }
}
