import FoundationEssentials

/// The time of a signature: `20130524T000000Z`, and its day (ISO 8601, basic format, UTC).
struct SigningTime: Hashable, Sendable {
  /// Whole seconds since 1970.
  let seconds: Int
  /// 16 characters.
  let text: String

  /// The first 8 characters.
  var day: Substring { text.prefix(8) }
  /// Days since 1970.
  var dayNumber: Int { Int((Double(seconds) / 86_400).rounded(.down)) }

  /// Rounds down to a second; times outside the years 0 to 9999 are clamped.
  init(_ date: Date) {
    let clamped = min(max(date.timeIntervalSince1970, -62_167_219_200), 253_402_300_799)
    self.init(seconds: clamped.isNaN ? 0 : Int(clamped.rounded(.down)))
  }

  private init(seconds: Int) {
    self.seconds = seconds
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    let time = seconds - days * 86_400
    let (year, month, day) = Self.civil(days)
    text = String(unsafeUninitializedCapacity: 16) { buffer in
      var end = 0
      func put(_ byte: UInt8) {
        buffer[end] = byte
        end += 1
      }
      func put(_ value: Int, digits: Int) {
        var divisor = digits == 4 ? 1000 : 10
        while divisor > 0 {
          put(UInt8(ascii: "0") + UInt8(value / divisor % 10))
          divisor /= 10
        }
      }
      put(year, digits: 4)
      put(month, digits: 2)
      put(day, digits: 2)
      put(UInt8(ascii: "T"))
      put(time / 3600, digits: 2)
      put(time / 60 % 60, digits: 2)
      put(time % 60, digits: 2)
      put(UInt8(ascii: "Z"))
      return end
    }
  }

  /// The date of a day since 1970 in the proleptic Gregorian calendar (H. Hinnant, "chrono-compatible low-level date
  /// algorithms", `civil_from_days`).
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
