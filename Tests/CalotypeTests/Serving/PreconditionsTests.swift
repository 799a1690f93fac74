import HTTPTypes
import Testing

@testable import Calotype

@Suite("Preconditions and ranges")
struct PreconditionsTests {
  typealias Row = ConditionalRequest

  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
  static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

  @Test(arguments: [
    Row("no conditions", [:], .whole),
    Row("same tag", [.ifMatch: "\"a\""], .whole),
    Row("other tag", [.ifMatch: "\"b\""], .preconditionFailed),
    Row("same tag, PUT", [.ifMatch: "\"a\""], .whole, method: .put),
    Row("other tag, PUT", [.ifMatch: "\"b\""], .preconditionFailed, method: .put),
    Row("other tag, HEAD", [.ifMatch: "\"b\""], .preconditionFailed, method: .head),
    Row("other tag, OPTIONS", [.ifMatch: "\"b\""], .whole, method: .options),
    Row("star", [.ifMatch: "*"], .whole, method: .put),
    Row("star without a tag", [.ifMatch: "*"], .whole, method: .put, tag: nil),
    Row("weak tag in the list", [.ifMatch: "W/\"a\""], .preconditionFailed),
    Row("weak tag of the representation", [.ifMatch: "\"a\""], .preconditionFailed, tag: "W/\"a\""),
    Row("both weak", [.ifMatch: "W/\"a\""], .preconditionFailed, tag: "W/\"a\""),
    Row("no tag", [.ifMatch: "\"a\""], .preconditionFailed, tag: nil),
    Row("list", [.ifMatch: "\"b\", \"c\" ,\"a\""], .whole),
    Row("two lines", [.ifMatch: "\"b\"", .ifMatch: "\"a\""], .whole),
    Row("empty elements", [.ifMatch: ", ,\"a\",,"], .whole),
    Row("empty list", [.ifMatch: ""], .preconditionFailed),
    Row("comma in a tag", [.ifMatch: "\"b,c\", \"x,y\""], .whole, tag: "\"x,y\""),
    Row("part of a tag with commas", [.ifMatch: "\"b,a,c\""], .preconditionFailed, tag: "\"a\""),
    Row("backslash in a tag", [.ifMatch: "\"b\\\", \"a\""], .whole),
    Row("empty tag", [.ifMatch: "\"\""], .whole, tag: "\"\""),
    Row("upper case", [.ifMatch: "\"A\""], .preconditionFailed),
    Row("no quotes", [.ifMatch: "a"], .preconditionFailed),
    Row("malformed element", [.ifMatch: "\"a\", b"], .preconditionFailed),
    Row("malformed line", [.ifMatch: "\"a\"", .ifMatch: "b"], .preconditionFailed),
    Row("unclosed", [.ifMatch: "\"a\", \"b"], .preconditionFailed),
    Row("no comma", [.ifMatch: "\"a\" \"b\""], .preconditionFailed),
    Row("star and a tag", [.ifMatch: "*, \"a\""], .preconditionFailed),
    Row("a tag and star", [.ifMatch: "\"a\", *"], .preconditionFailed),
    Row("two stars", [.ifMatch: "*", .ifMatch: "*"], .preconditionFailed),
    Row("star as a tag", [.ifMatch: "\"*\""], .preconditionFailed),
  ])
  func ifMatch(row: Row) { row.check() }

  @Test(arguments: [
    Row("same date", [.ifUnmodifiedSince: date], .whole),
    Row("earlier date", [.ifUnmodifiedSince: before], .preconditionFailed),
    Row("earlier date, PUT", [.ifUnmodifiedSince: before], .preconditionFailed, method: .put),
    Row("later date", [.ifUnmodifiedSince: after], .whole),
    Row("parts of a second", [.ifUnmodifiedSince: date], .whole, modified: Row.changed + 0.9),
    Row("unknown date of change", [.ifUnmodifiedSince: before], .whole, modified: nil),
    Row("date of change beyond all", [.ifUnmodifiedSince: before], .whole, modified: .infinity),
    Row("date of change is no number", [.ifUnmodifiedSince: before], .whole, modified: .nan),
    Row("malformed date", [.ifUnmodifiedSince: "1994-11-06"], .whole),
    Row("list of dates", [.ifUnmodifiedSince: before, .ifUnmodifiedSince: before], .whole),
    Row("form of RFC 850", [.ifUnmodifiedSince: "Sunday, 06-Nov-94 08:49:36 GMT"], .preconditionFailed),
    Row("form of asctime", [.ifUnmodifiedSince: "Sun Nov  6 08:49:36 1994"], .preconditionFailed),
    Row("If-Match counts instead", [.ifMatch: "\"a\"", .ifUnmodifiedSince: before], .whole),
    Row("malformed If-Match counts", [.ifMatch: "a", .ifUnmodifiedSince: after], .preconditionFailed),
    Row("OPTIONS", [.ifUnmodifiedSince: before], .whole, method: .options),
  ])
  func ifUnmodifiedSince(row: Row) { row.check() }

  @Test(arguments: [
    Row("same tag", [.ifNoneMatch: "\"a\""], .notModified),
    Row("same tag, HEAD", [.ifNoneMatch: "\"a\""], .notModified, method: .head),
    Row("same tag, PUT", [.ifNoneMatch: "\"a\""], .preconditionFailed, method: .put),
    Row("same tag, DELETE", [.ifNoneMatch: "\"a\""], .preconditionFailed, method: .delete),
    Row("same tag, TRACE", [.ifNoneMatch: "\"a\""], .whole, method: .trace),
    Row("other tag", [.ifNoneMatch: "\"b\""], .whole),
    Row("other tag, PUT", [.ifNoneMatch: "\"b\""], .whole, method: .put),
    Row("star", [.ifNoneMatch: "*"], .notModified),
    Row("star, PUT", [.ifNoneMatch: " * "], .preconditionFailed, method: .put),
    Row("star without a tag", [.ifNoneMatch: "*"], .notModified, tag: nil),
    Row("weak tag in the list", [.ifNoneMatch: "W/\"a\""], .notModified),
    Row("weak tag of the representation", [.ifNoneMatch: "\"a\""], .notModified, tag: "W/\"a\""),
    Row("both weak", [.ifNoneMatch: "W/\"a\""], .notModified, tag: "W/\"a\""),
    Row("lower-case w", [.ifNoneMatch: "w/\"a\""], .whole),
    Row("no tag", [.ifNoneMatch: "\"a\""], .whole, tag: nil),
    Row("list", [.ifNoneMatch: "\"b\",W/\"a\",\"c\""], .notModified),
    Row("three lines", [.ifNoneMatch: "\"b\"", .ifNoneMatch: "\"c\"", .ifNoneMatch: "\"a\""], .notModified),
    Row("comma in a tag", [.ifNoneMatch: "\"b,\", \"x,y\""], .notModified, tag: "\"x,y\""),
    Row("no quotes", [.ifNoneMatch: "a"], .whole),
    Row("malformed element", [.ifNoneMatch: "\"a\", b"], .whole),
    Row("star and a tag", [.ifNoneMatch: "*, \"a\""], .whole),
    Row("empty list", [.ifNoneMatch: ""], .whole),
    Row("non-ASCII tag", [.ifNoneMatch: "\"é\""], .notModified, tag: "\"é\""),
    Row("after If-Match", [.ifMatch: "\"a\"", .ifNoneMatch: "\"a\""], .preconditionFailed, method: .put),
    Row("If-Match fails first", [.ifMatch: "\"b\"", .ifNoneMatch: "\"a\""], .preconditionFailed),
    Row("date fails first", [.ifUnmodifiedSince: before, .ifNoneMatch: "\"a\""], .preconditionFailed),
  ])
  func ifNoneMatch(row: Row) { row.check() }

  @Test(arguments: [
    Row("same date", [.ifModifiedSince: date], .notModified),
    Row("same date, HEAD", [.ifModifiedSince: date], .notModified, method: .head),
    Row("same date, PUT", [.ifModifiedSince: date], .whole, method: .put),
    Row("earlier date", [.ifModifiedSince: before], .whole),
    Row("later date", [.ifModifiedSince: after], .notModified),
    Row("parts of a second", [.ifModifiedSince: date], .notModified, modified: Row.changed + 0.9),
    Row("before 1970", [.ifModifiedSince: "Wed, 31 Dec 1969 23:59:58 GMT"], .whole, modified: -0.5),
    Row("unknown date of change", [.ifModifiedSince: date], .whole, modified: nil),
    Row("malformed date", [.ifModifiedSince: "yesterday"], .whole),
    Row("list of dates", [.ifModifiedSince: date, .ifModifiedSince: date], .whole),
    Row("other tag counts instead", [.ifNoneMatch: "\"b\"", .ifModifiedSince: date], .whole),
    Row("malformed tag counts instead", [.ifNoneMatch: "b", .ifModifiedSince: date], .whole),
    Row("no tag, a list counts instead", [.ifNoneMatch: "\"b\"", .ifModifiedSince: date], .whole, tag: nil),
    Row("same tag, earlier date", [.ifNoneMatch: "\"a\"", .ifModifiedSince: before], .notModified),
    Row("time beyond all", [.ifModifiedSince: date], .notModified, now: .infinity),
    Row("after If-Match", [.ifMatch: "\"a\"", .ifModifiedSince: date], .notModified),
  ])
  func ifModifiedSince(row: Row) { row.check() }

  @Test(arguments: [
    Row("same tag", [.range: "bytes=0-9", .ifRange: "\"a\""], .partial(0..<10)),
    Row("other tag", [.range: "bytes=0-9", .ifRange: "\"b\""], .whole),
    Row("weak tag", [.range: "bytes=0-9", .ifRange: "W/\"a\""], .whole, tag: "W/\"a\""),
    Row("no tag", [.range: "bytes=0-9", .ifRange: "\"a\""], .whole, tag: nil),
    Row("list of tags", [.range: "bytes=0-9", .ifRange: "\"a\", \"a\""], .whole),
    Row("star", [.range: "bytes=0-9", .ifRange: "*"], .whole),
    Row("no quotes", [.range: "bytes=0-9", .ifRange: "a"], .whole),
    Row("empty", [.range: "bytes=0-9", .ifRange: ""], .whole),
    Row("same date", [.range: "bytes=0-9", .ifRange: date], .partial(0..<10)),
    Row("earlier date", [.range: "bytes=0-9", .ifRange: before], .whole),
    Row("later date", [.range: "bytes=0-9", .ifRange: after], .whole),
    Row("malformed date", [.range: "bytes=0-9", .ifRange: "today"], .whole),
    Row("unknown date of change", [.range: "bytes=0-9", .ifRange: date], .whole, modified: nil),
    Row("a second ago", [.range: "bytes=0-9", .ifRange: date], .partial(0..<10), now: Row.changed + 1),
    Row("in this second", [.range: "bytes=0-9", .ifRange: date], .whole, now: Row.changed + 0.9),
    Row("in the future", [.range: "bytes=0-9", .ifRange: date], .whole, now: Row.changed - 9),
    Row("time is no number", [.range: "bytes=0-9", .ifRange: date], .whole, now: .nan),
    Row("unsatisfiable, other tag", [.range: "bytes=900-", .ifRange: "\"b\""], .whole),
    Row("unsatisfiable, same tag", [.range: "bytes=900-", .ifRange: "\"a\""], .rangeNotSatisfiable),
    Row("without Range", [.ifRange: "\"b\""], .whole),
    Row("If-Match fails first", [.range: "bytes=0-9", .ifMatch: "\"b\""], .preconditionFailed),
    Row("If-Match fails before 416", [.range: "bytes=900-", .ifMatch: "\"b\""], .preconditionFailed),
    Row("304 before a range", [.range: "bytes=0-9", .ifNoneMatch: "\"a\""], .notModified),
    Row("304 before 416", [.range: "bytes=900-", .ifModifiedSince: date], .notModified),
    Row("all hold", [.range: "bytes=0-9", .ifMatch: "\"a\"", .ifNoneMatch: "\"b\""], .partial(0..<10)),
  ])
  func ifRange(row: Row) { row.check() }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      Row("256 tags", [.ifMatch: many("\"b\",", 255) + "\"a\""], .whole),
      Row("257 tags", [.ifMatch: many("\"b\",", 256) + "\"a\""], .preconditionFailed),
      Row("257 tags for If-None-Match", [.ifNoneMatch: "\"a\"," + many("\"b\",", 256)], .whole),
      Row("commas", [.ifNoneMatch: many(",", 100_000) + "\"a\""], .notModified),
      Row("quotes", [.ifNoneMatch: many("\"", 100_000)], .whole),
      Row("long tag", [.ifMatch: "\"" + many("a", 100_000) + "\""], .preconditionFailed),
      Row("long date", [.ifModifiedSince: date + many("0", 100_000)], .whole),
      Row("long number", [.range: "bytes=0-" + many("9", 100_000)], .partial(0..<100)),
      Row("many zeros", [.range: "bytes=" + many("0", 100_000) + "-9"], .partial(0..<10)),
      Row("many ranges", [.range: "bytes=" + many("0-,", 30_000)], .whole),
      Row("many commas in ranges", [.range: "bytes=" + many(",", 100_000) + "0-9"], .partial(0..<10)),
      Row("long unit", [.range: many("bytes", 20_000) + "=0-9"], .whole),
      Row("long If-Range", [.range: "bytes=0-9", .ifRange: many("\"a\",", 25_000)], .whole),
      Row("many lines", HTTPFields(lines(10_000)), .whole),
    ])
  func hostileFields(row: Row) { row.check() }

  @Test func statusAndContentRange() {
    let rows: [(Preconditions.Outcome, HTTPResponse.Status, String?)] = [
      (.whole, .ok, nil),
      (.partial(10..<20), .partialContent, "bytes 10-19/100"),
      (.partial(0..<1), .partialContent, "bytes 0-0/100"),
      (.notModified, .notModified, nil),
      (.preconditionFailed, .preconditionFailed, nil),
      (.rangeNotSatisfiable, .rangeNotSatisfiable, "bytes */100"),
    ]
    for (outcome, status, contentRange) in rows {
      #expect(outcome.status == status)
      #expect(outcome.contentRange(length: 100) == contentRange)
    }
    #expect(Preconditions.Outcome.rangeNotSatisfiable.contentRange(length: 0) == "bytes */0")
    #expect(Preconditions.Outcome.rangeNotSatisfiable.contentRange(length: -1) == "bytes */0")
  }

  static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  static func lines(_ count: Int) -> [HTTPField] {
    (0..<count).map { HTTPField(name: $0 % 2 == 0 ? .ifNoneMatch : .range, value: "\"b\"") }
  }
}
