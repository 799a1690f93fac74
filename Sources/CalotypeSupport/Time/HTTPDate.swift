/// A date of HTTP (RFC 9110 §5.6.7), in any of its three forms.
///
/// Letters and spaces are taken exactly as the grammar has them, and the day has to exist. Only that the name of the day
/// belongs to the date is not checked: it adds nothing, and there are servers that get it wrong.
package struct HTTPDate: Hashable, Sendable {
  /// In UTC, without leap seconds.
  package let secondsSince1970: Int

  /// - Parameters:
  ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
  ///   - now: Seconds since 1970, to tell which century a year of two digits is in: the latest in which it is not more
  ///     than 50 years ahead.
  package init?(_ text: String, now: Int) {
    var reader = Reader(rest: Array(text.utf8)[...])
    let parsed =
      if reader.word(of: Self.longDays) != nil {
        reader.dashed(thisYear: 1970 + now / Self.secondsOfYear)
      } else if reader.word(of: Self.days) == nil {
        Fields?.none
      } else if reader.skips(",") {
        reader.fixed()
      } else {
        reader.asctime()
      }
    guard let parsed, reader.rest.isEmpty, let seconds = parsed.secondsSince1970 else { return nil }
    secondsSince1970 = seconds
  }

  /// On average over the 400 years after which the calendar repeats.
  private static let secondsOfYear = 31_556_952
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let longDays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// What a date is written with; months count from 0.
  private struct Fields {
    var year: Int
    var month: Int
    var day: Int
    var time: (hour: Int, minute: Int, second: Int)

    /// `nil` for days and times that do not exist. A leap second is the first second after it.
    var secondsSince1970: Int? {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      guard (1...lengths[month]).contains(day), time.hour < 24, time.minute < 60, time.second <= 60 else {
        return nil
      }
      // Before the year come all years from 0 on; there are 719,528 days before 1970.
      let leapDays = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
      let days = year * 365 + leapDays + lengths[..<month].reduce(0, +) + day - 1 - 719_528
      return ((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second
    }
  }

  /// What is left to read. Each step takes what it names from the front, or the whole fails.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func skips(_ text: String) -> Bool {
      guard rest.starts(with: text.utf8) else { return false }
      rest.removeFirst(text.utf8.count)
      return true
    }

    mutating func word(of words: [String]) -> Int? {
      for (index, word) in words.enumerated() where skips(word) { return index }
      return nil
    }

    mutating func number(digits: Int) -> Int? {
      let text = rest.prefix(digits)
      guard text.count == digits, text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      rest.removeFirst(digits)
      return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    mutating func time() -> (hour: Int, minute: Int, second: Int)? {
      guard let hour = number(digits: 2), skips(":"), let minute = number(digits: 2), skips(":"),
        let second = number(digits: 2)
      else { return nil }
      return (hour, minute, second)
    }

    /// ` 06 Nov 1994 08:49:37 GMT`: the one form to write.
    mutating func fixed() -> Fields? {
      guard skips(" "), let day = number(digits: 2), skips(" "), let month = word(of: months), skips(" "),
        let year = number(digits: 4), skips(" "), let time = time(), skips(" GMT")
      else { return nil }
      return Fields(year: year, month: month, day: day, time: time)
    }

    /// `, 06-Nov-94 08:49:37 GMT`: RFC 850.
    mutating func dashed(thisYear: Int) -> Fields? {
      guard skips(", "), let day = number(digits: 2), skips("-"), let month = word(of: months), skips("-"),
        let twoDigits = number(digits: 2), skips(" "), let time = time(), skips(" GMT")
      else { return nil }
      // As with four digits, from 0 to 9999, regardless of the local clock.
      let latest = min(max(thisYear + 50, 99), 9_999)
      let year = latest - (latest + 100 - twoDigits) % 100
      return Fields(year: year, month: month, day: day, time: time)
    }

    /// ` Nov  6 08:49:37 1994`: asctime() of C.
    mutating func asctime() -> Fields? {
      guard skips(" "), let month = word(of: months), skips(" "),
        let day = skips(" ") ? number(digits: 1) : number(digits: 2), skips(" "), let time = time(),
        skips(" "), let year = number(digits: 4)
      else { return nil }
      return Fields(year: year, month: month, day: day, time: time)
    }
  }
}
