@testable import CalotypeLoading
@testable import CalotypeSupport
import FoundationEssentials
import Glibc
import HTTPTypes

/// Reads the bytes as a date and as a `Retry-After`, and makes dates of them.
enum HTTPDateTarget {
  /// The years 0 to 9999, and the leap second that may follow.
  private static let seconds = -62_167_219_200...253_402_300_800

  static func run(_ input: FuzzInput) throws {
    var numbers = NumberReader(input.bytes)
    let now = numbers.integer(Int.self) >> Int(input.first % 64)
    let text = String(decoding: input.bytes, as: UTF8.self)
    for now in [1_750_000_000, now] {
      for text in [text, "Sun, " + text, "Sunday, " + text, "Sun " + text] {
        guard let date = HTTPDate(text, now: now) else { continue }
        try FuzzFailure.unless(seconds.contains(date.secondsSince1970), "\(text) is \(date.secondsSince1970)")
        try writeAgain(date.secondsSince1970)
      }
    }
    if seconds.contains(now) { try writeAgain(now) }
    try retry(text, numbers: &numbers)
  }

  /// The C library writes the date, and it has to be read as what it was.
  private static func writeAgain(_ second: Int) throws {
    var time = time_t(second)
    var parts = tm()
    guard second <= 253_402_300_799, gmtime_r(&time, &parts) != nil else { return }
    // strftime() writes years before 1000 with fewer digits.
    for format in parts.tm_year >= -900 ? ["%a, %d %b %Y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"] : [] {
      var buffer = [CChar](repeating: 0, count: 64)
      let count = strftime(&buffer, buffer.count, format, &parts)
      let text = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      try FuzzFailure.unless(
        HTTPDate(text, now: 0)?.secondsSince1970 == second, "\(text) is not read as \(second)")
    }
  }

  private static func retry(_ text: String, numbers: inout NumberReader) throws {
    var headers = HTTPFields()
    let parts = text.split(separator: "\n", maxSplits: 2)
    for (name, value) in zip([HTTPField.Name.retryAfter, .date, .retryAfter], parts) {
      headers.append(HTTPField(name: name, value: String(value)))
    }
    let date = Date(timeIntervalSince1970: Double(bitPattern: numbers.integer(UInt64.self)))
    let asked = RetryAfter.delay(in: headers, now: date)
    try FuzzFailure.unless(asked ?? .zero >= .zero, "a wait of \(asked as Any)")
    guard let url = URL(string: "http://localhost/") else { return }
    let policy = RetryPolicy(
      maxRetries: numbers.integer(Int.self), baseDelay: .nanoseconds(numbers.integer(Int64.self)),
      maxDelay: .seconds(numbers.integer(Int64.self)),
      jitter: Double(bitPattern: numbers.integer(UInt64.self)),
      maxRetryAfter: .seconds(numbers.integer(Int64.self)))
    let remaining = Duration.milliseconds(numbers.integer(Int64.self))
    let decision = policy.decision(
      after: .httpStatus(url, status: 503, headers: headers), attempt: numbers.integer(Int.self),
      remaining: remaining, random: Double(bitPattern: numbers.integer(UInt64.self)), date: date)
    guard case .retry(let delay) = decision else { return }
    try FuzzFailure.unless(delay >= asked ?? .zero, "after \(delay), asked for \(asked as Any)")
    try FuzzFailure.unless(delay < remaining, "after \(delay), but there are \(remaining) left")
    try FuzzFailure.unless(
      delay <= max(policy.maxDelay, policy.maxRetryAfter, .zero), "after \(delay), longer than allowed")
  }
}
