/// A date in the form of HTTP (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// The two obsolete forms are not read, as imgproxy does not read them in `Expires`.
struct HTTPDate: Hashable, Sendable {
  /// In UTC, without leap seconds.
  let secondsSince1970: Int

  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  init(secondsSince1970: Int) {
    self.secondsSince1970 = secondsSince1970
  }

  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 29 else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    func number(_ range: Range<Int>) -> Int? {
      bytes[range].allSatisfy { (48...57).contains($0) } ? Int(part(range)) : nil
    }
    guard Self.days.contains(part(0..<3)), part(3..<5) == ", ", bytes[7] == 32, bytes[11] == 32,
      bytes[16] == 32,
      bytes[19] == 58, bytes[22] == 58, part(25..<29) == " GMT", let day = number(5..<7),
      let month = Self.months.firstIndex(of: part(8..<11)), let year = number(12..<16),
      let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month]).contains(day) else { return nil }
    secondsSince1970 =
      ((Self.days(before: year) + lengths[..<month].reduce(0, +) + day - 1) * 24 + hour) * 3600 + minute * 60
      + second
  }

  /// The date in text; years are limited to 1970–9999.
  var text: String {
    let time = min(max(secondsSince1970, 0), 253_402_300_799)
    let days = time / 86_400
    var year = 1970 + days / 366
    while Self.days(before: year + 1) <= days { year += 1 }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    var day = days - Self.days(before: year)
    var month = 0
    for length in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
      guard day >= length else { break }
      day -= length
      month += 1
    }
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [time / 3600 % 24, time / 60 % 60, time % 60].map(digits).joined(separator: ":")
    return "\(Self.days[days % 7]), \(digits(day + 1)) \(Self.months[month]) \(year) \(clock) GMT"
  }

  /// The days from 1970 to the beginning of a year from 0 on; there are 719,528 days before 1970.
  private static func days(before year: Int) -> Int {
    year * 365 + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400 - 719_528
  }
}
