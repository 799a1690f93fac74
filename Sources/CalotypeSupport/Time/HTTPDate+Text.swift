extension HTTPDate {
  /// Creates a date with the precision of HTTP: years 1970 to 9999; other times count as the nearest of them.
  package init(secondsSince1970 seconds: Int) {
    secondsSince1970 = min(max(seconds, 0), 253_402_300_799)
  }

  /// The date as HTTP writes it (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
  package var text: String {
    let (day, second) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
    // In years that begin with March, so that the leap day is the last of its year.
    let shifted = day + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = Self.days[(day + 3) % 7]
    let time = "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
    return "\(weekday), \(two(dayOfMonth)) \(Self.months[(month + 2) % 12]) \(year) \(time) GMT"
  }
}
