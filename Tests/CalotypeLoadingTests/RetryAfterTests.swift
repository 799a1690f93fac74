import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Delays of HTTP")
struct RetryAfterTests {
  /// 15 May 2025.
  private static let now = 1_747_267_200
  private static let date = Date(timeIntervalSince1970: TimeInterval(now))

  private func delay(_ fields: (HTTPField.Name, String)...) -> Duration? {
    var headers = HTTPFields()
    for (name, value) in fields { headers.append(HTTPField(name: name, value: value)) }
    return RetryAfter.delay(in: headers, now: Self.date)
  }

  @Test(arguments: [
    ("0", 0), ("1", 1), ("120", 120), ("007", 7), ("9223372036854775807", Int.max),
    ("99999999999999999999999", Int.max), ("Thu, 15 May 2025 00:00:30 GMT", 30),
    ("Thursday, 15-May-25 00:01:00 GMT", 60), ("Thu May 15 00:00:01 2025", 1),
    ("Thu, 15 May 2025 00:00:00 GMT", 0), ("Wed, 14 May 2025 23:59:59 GMT", 0),
  ])
  func retryAfter(value: String, seconds: Int) {
    #expect(delay((.retryAfter, value)) == .seconds(seconds))
  }

  @Test(arguments: ["", "-1", "+1", "1.5", "1 s", "0x10", "soon", "1,2", "１", "Thu, 15 May 2025"])
  func noRetryAfter(_ value: String) {
    #expect(delay((.retryAfter, value)) == nil)
  }

  @Test func theirClockCounts() {
    #expect(
      delay(
        (.retryAfter, "Thu, 15 May 2031 12:00:30 GMT"), (.date, "Thu, 15 May 2031 12:00:00 GMT"))
        == .seconds(30))
    #expect(delay((.retryAfter, "Thu, 15 May 2025 00:00:30 GMT"), (.date, "yesterday")) == .seconds(30))
    #expect(delay((.retryAfter, "5"), (.date, "Thu, 15 May 2031 12:00:00 GMT")) == .seconds(5))
  }

  @Test func theLongestOfSeveral() {
    #expect(delay() == nil)
    #expect(delay((.retryAfter, "5"), (.retryAfter, "soon"), (.retryAfter, "7")) == .seconds(7))
  }
}
