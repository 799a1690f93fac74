import CalotypeSupport
import Glibc
import Testing

@Suite("Dates of HTTP")
struct HTTPDateTests {
  /// 15 May 2025.
  private static let now = 1_747_267_200

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    // The name of the day is not compared with the date.
    ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
  ])
  func reads(text: String, seconds: Int) {
    #expect(HTTPDate(text, now: Self.now)?.secondsSince1970 == seconds)
  }

  @Test(arguments: [
    "", "Sun", "Sunday", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ",
    " Sun, 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 32 Jan 1994 08:49:37 GMT",
    "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
    "Sunday, 06 Nov 1994 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37",
    "Sunday, 30-Feb-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
    "Sun Nov  6 08:49:37 94", "Sun Nov 31 08:49:37 1994", "Sun Nov   6 08:49:37 1994", "1994-11-06T08:49:37Z",
    "784111777", "Sun, 06 Nov 1994 08:49:37 GMT\0", "Ｓun, 06 Nov 1994 08:49:37 GMT", "0", "-1",
  ])
  func doesNotRead(_ text: String) {
    #expect(HTTPDate(text, now: Self.now) == nil)
  }

  /// Against the C library: every 97th day or so of the years 0 to 9999, at times of all kinds, in all three forms.
  @Test func agreesWithTheCLibrary() {
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func padded(_ number: Int32, _ length: Int = 2, with pad: String = "0") -> String {
      let text = String(number)
      return String(repeating: pad, count: max(0, length - text.utf8.count)) + text
    }
    for second in stride(from: -62_167_219_200, through: 253_402_300_799, by: 97 * 86_400 + 4_567) {
      var time = time_t(second)
      var parts = tm()
      gmtime_r(&time, &parts)
      let day = days[Int(parts.tm_wday)]
      let month = months[Int(parts.tm_mon)]
      let year = parts.tm_year + 1900
      let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0) }.joined(separator: ":")
      let fixed = "\(day.prefix(3)), \(padded(parts.tm_mday)) \(month) \(padded(year, 4)) \(clock) GMT"
      let asctime =
        "\(day.prefix(3)) \(month) \(padded(parts.tm_mday, with: " ")) \(clock) \(padded(year, 4))"
      let dashed = "\(day), \(padded(parts.tm_mday))-\(month)-\(padded(year % 100)) \(clock) GMT"
      let texts = [fixed, asctime] + (year >= 1970 ? [dashed] : [])
      for text in texts where HTTPDate(text, now: second)?.secondsSince1970 != second {
        Issue.record("\(text) is not \(second)")
      }
    }
  }

  @Test(arguments: [(75, 2075), (76, 1976), (25, 2025), (24, 2024), (99, 1999), (0, 2000)])
  func yearsOfTwoDigits(digits: Int, year: Int) {
    let text = "Sunday, 06-Nov-\(digits < 10 ? "0" : "")\(digits) 08:49:37 GMT"
    #expect(
      HTTPDate(text, now: Self.now) == HTTPDate("Sun, 06 Nov \(year) 08:49:37 GMT", now: Self.now))
  }

  @Test func absurdTimes() {
    for now in [Int.min, .max, 0, -1] {
      #expect(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT", now: now)?.secondsSince1970 == 784_111_777)
    }
    let text = "Sunday, 06-Nov-94 08:49:37 GMT"
    #expect(HTTPDate(text, now: .max) == HTTPDate("Sun, 06 Nov 9994 08:49:37 GMT", now: 0))
    #expect(HTTPDate(text, now: .min) == HTTPDate("Sun, 06 Nov 0094 08:49:37 GMT", now: 0))
  }
}
