package import CalotypeSupport
package import FoundationEssentials
package import HTTPTypes

/// The `Retry-After` of a response (RFC 9110 §10.2.3): a number of seconds, or a date.
package enum RetryAfter: Equatable {
  case seconds(Int)
  case date(HTTPDate)

  /// - Parameters:
  ///   - text: The value of the field.
  ///   - now: Seconds since 1970, for dates with a year of two digits.
  package init?(_ text: String, now: Int) {
    let bytes = text.utf8
    if !bytes.isEmpty, bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // A number that overflows is a very long time.
      self = .seconds(Int(text) ?? .max)
    } else if let date = HTTPDate(text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns the time that a response asks for, not negative; `nil` if it has no readable one.
  ///
  /// A date is compared with the `Date` of the response if there is one, because clocks differ. Of several fields the
  /// longest wins.
  package static func delay(in headers: HTTPFields, now: Date) -> Duration? {
    let values = headers[values: .retryAfter]
    guard !values.isEmpty else { return nil }
    let ours = Int(exactly: now.timeIntervalSince1970.rounded()) ?? 0
    let theirs = headers[.date].flatMap { HTTPDate($0, now: ours) }?.secondsSince1970 ?? ours
    let seconds = values.compactMap { value -> Int? in
      switch RetryAfter(value, now: ours) {
      case .seconds(let seconds): seconds
      case .date(let date): max(0, date.secondsSince1970 - theirs)
      case nil: nil
      }
    }
    return seconds.max().map { .seconds($0) }
  }
}
