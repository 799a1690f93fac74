/// Moments in the format of RFC 3339, as seconds since 1970.
enum Timestamp {
  /// The seconds of `2026-01-31T12:00:00Z` or `2026-01-31 13:00:00.5+01:00`, or `nil`. Fractions are cut off.
  static func read(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard (20...40).contains(bytes.count) else { return nil }
    func number(_ start: Int, _ count: Int) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[start..<start + count] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      return value
    }
    guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), "Tt ".utf8.contains(bytes[10]),
      let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
      let minute = number(14, 2), let second = number(17, 2),
      (1...12).contains(month), (1...length(of: month, year)).contains(day), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    var position = 19
    if bytes[position] == UInt8(ascii: ".") {
      let digits = bytes[(position + 1)...].prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return nil }
      position = digits.endIndex
    }
    guard position < bytes.count else { return nil }
    var offset: Int64 = 0
    switch bytes[position] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): guard position + 1 == bytes.count else { return nil }
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard position + 6 == bytes.count, bytes[position + 3] == UInt8(ascii: ":"),
        let hours = number(position + 1, 2), let minutes = number(position + 4, 2), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * 60 * (bytes[position] == UInt8(ascii: "-") ? -1 : 1)
    default: return nil
    }
    return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
  }

  /// The text of seconds since 1970, in UTC.
  static func write(_ seconds: Int64) -> String {
    var day = seconds / 86_400
    var rest = seconds % 86_400
    if rest < 0 {
      rest += 86_400
      day -= 1
    }
    // The civil calendar, in eras of 400 years that begin in March.
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let date = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func digits(_ value: Int64, _ count: Int = 2) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return "\(digits(year, 4))-\(digits(month))-\(digits(date))T"
      + "\(digits(rest / 3600)):\(digits(rest / 60 % 60)):\(digits(rest % 60))Z"
  }

  private static func length(of month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
