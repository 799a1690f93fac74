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
    return String(unsafeUninitializedCapacity: 24) { text in
      var end = 0
      func append(_ value: Int, _ digits: Int, _ mark: Unicode.Scalar) {
        var rest = value
        for place in (end..<end + digits).reversed() {
          text[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        text[end + digits] = UInt8(ascii: mark)
        end += digits + 1
      }
      append(Int(parts.tm_year) + 1900, 4, "-")
      append(Int(parts.tm_mon) + 1, 2, "-")
      append(Int(parts.tm_mday), 2, "T")
      append(Int(parts.tm_hour), 2, ":")
      append(Int(parts.tm_min), 2, ":")
      append(Int(parts.tm_sec), 2, ".")
      append(Int(clamped % 1000), 3, "Z")
      return end
    }
  }
}
