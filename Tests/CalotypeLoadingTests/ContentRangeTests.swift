import Testing

@testable import CalotypeLoading

@Suite("Content-Range")
struct ContentRangeTests {
  @Test(arguments: [
    ("bytes 0-499/1234", ContentRange.bytes(0..<500, of: 1234)),
    ("bytes 500-1233/1234", .bytes(500..<1234, of: 1234)),
    ("bytes 0-0/1", .bytes(0..<1, of: 1)),
    ("bytes 0-499/*", .bytes(0..<500, of: nil)),
    ("BYTES 0-499/*", .bytes(0..<500, of: nil)),
    ("bytes 00-01/02", .bytes(0..<2, of: 2)),
    ("bytes */1234", .unsatisfied(of: 1234)),
    ("bytes */0", .unsatisfied(of: 0)),
    ("bytes 0-9223372036854775806/9223372036854775807", .bytes(0..<Int.max, of: .max)),
    ("bytes 9223372036854775806-9223372036854775806/*", .bytes(Int.max - 1..<Int.max, of: nil)),
  ])
  func reads(text: String, range: ContentRange) {
    #expect(ContentRange(text) == range)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes /", "bytes -/", "bytes 0-499", "bytes 0-499/", "bytes /1234",
    "bytes -499/1234",
    "bytes 0-/1234", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-0/0", "bytes 10-10/10", "bytes */*", "bytes *",
    "bytes *-*/10", "bytes=0-499/1234", "bytes: 0-499/1234", "bytes  0-499/1234", "bytes 0 - 499/1234",
    "bytes 0-499 /1234", "bytes 0-499/1234 ", " bytes 0-499/1234", "bytes 0-499/1234/5", "bytes 0-1-2/9",
    "items 0-4/9", "0-499/1234", "bytes +0-499/1234", "bytes 0-+499/1234", "bytes -1-5/10",
    "bytes 0x0-0x9/99",
    "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775807/9223372036854775807",
    "bytes 0-9223372036854775808/*", "bytes 0-1/9223372036854775808",
    "bytes 18446744073709551616-18446744073709551617/*",
    "bytes 0-99999999999999999999999999/*", "bytes */99999999999999999999999999", "bytes ０-１/２",
    "bytes 0-1,3-4/10", "bytes\t0-1/2", "bytes\u{0}0-1/2",
  ])
  func doesNotRead(_ text: String) {
    #expect(ContentRange(text) == nil)
  }
}
