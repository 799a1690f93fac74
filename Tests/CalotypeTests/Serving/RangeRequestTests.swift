import FoundationEssentials
import HTTPTypes
import Testing

@testable import Calotype

@Suite("Requests of ranges")
struct RangeRequestTests {
  typealias Row = ConditionalRequest
  typealias Outcome = Preconditions.Outcome

  @Test(arguments: [
    Row("first and last", [.range: "bytes=10-19"], .partial(10..<20)),
    Row("one byte", [.range: "bytes=0-0"], .partial(0..<1)),
    Row("last byte", [.range: "bytes=99-99"], .partial(99..<100)),
    Row("all", [.range: "bytes=0-"], .partial(0..<100)),
    Row("from", [.range: "bytes=40-"], .partial(40..<100)),
    Row("suffix", [.range: "bytes=-10"], .partial(90..<100)),
    Row("suffix of all", [.range: "bytes=-100"], .partial(0..<100)),
    Row("suffix beyond the beginning", [.range: "bytes=-101"], .partial(0..<100)),
    Row("last beyond the end", [.range: "bytes=90-100"], .partial(90..<100)),
    Row("first beyond the end", [.range: "bytes=100-"], .rangeNotSatisfiable),
    Row("both beyond the end", [.range: "bytes=100-200"], .rangeNotSatisfiable),
    Row("suffix of nothing", [.range: "bytes=-0"], .rangeNotSatisfiable),
    Row("suffix of nothing in many digits", [.range: "bytes=-000"], .rangeNotSatisfiable),
    Row("leading zeros", [.range: "bytes=0010-00019"], .partial(10..<20)),
    Row("upper case", [.range: "Bytes=0-9"], .partial(0..<10)),
    Row("space after =", [.range: "bytes= 0-9"], .partial(0..<10)),
    Row("space around commas", [.range: "bytes=0-9\t , 10-19 , 20-29"], .partial(0..<30)),
    Row("empty elements", [.range: "bytes=,0-9,,"], .partial(0..<10)),
    Row("last of 30 digits", [.range: "bytes=10-999999999999999999999999999999"], .partial(10..<100)),
    Row("first of 30 digits", [.range: "bytes=999999999999999999999999999999-"], .rangeNotSatisfiable),
    Row("suffix of 30 digits", [.range: "bytes=-999999999999999999999999999999"], .partial(0..<100)),
    Row("first of Int.max", [.range: "bytes=9223372036854775807-"], .rangeNotSatisfiable, length: .max),
    Row("last of Int.max", [.range: "bytes=1-9223372036854775807"], .partial(1..<Int.max), length: .max),
    Row("suffix of Int.max", [.range: "bytes=-9223372036854775808"], .partial(0..<Int.max), length: .max),
    Row("empty representation, first", [.range: "bytes=0-"], .rangeNotSatisfiable, length: 0),
    Row("empty representation, first and last", [.range: "bytes=0-0"], .rangeNotSatisfiable, length: 0),
    Row("empty representation, suffix", [.range: "bytes=-5"], .whole, length: 0),
    Row("empty representation, suffix of nothing", [.range: "bytes=-0"], .rangeNotSatisfiable, length: 0),
    Row("negative length", [.range: "bytes=0-"], .rangeNotSatisfiable, length: -1),
    Row("HEAD", [.range: "bytes=0-9"], .whole, method: .head),
    Row("PUT", [.range: "bytes=500-"], .whole, method: .put),
  ])
  func range(row: Row) { row.check() }

  @Test(arguments: [
    Row("empty", [.range: ""], .whole),
    Row("other unit", [.range: "items=0-9"], .whole),
    Row("no unit", [.range: "=0-9"], .whole),
    Row("no =", [.range: "bytes 0-9"], .whole),
    Row("no range", [.range: "bytes="], .whole),
    Row("commas only", [.range: "bytes=, ,"], .whole),
    Row("dash only", [.range: "bytes=-"], .whole),
    Row("number only", [.range: "bytes=5"], .whole),
    Row("two dashes", [.range: "bytes=0--9"], .whole),
    Row("three numbers", [.range: "bytes=0-5-9"], .whole),
    Row("last before first", [.range: "bytes=9-8"], .whole),
    Row("last before first, beyond the end", [.range: "bytes=900-800"], .whole),
    Row("one of two malformed", [.range: "bytes=0-9,9-8"], .whole),
    Row("plus", [.range: "bytes=+0-9"], .whole),
    Row("hexadecimal", [.range: "bytes=0x0-0x9"], .whole),
    Row("letters", [.range: "bytes=a-b"], .whole),
    Row("wide digits", [.range: "bytes=０-９"], .whole),
    Row("space before =", [.range: "bytes =0-9"], .whole),
    Row("space around the dash", [.range: "bytes=0 - 9"], .whole),
    Row("no comma", [.range: "bytes=0-9 10-19"], .whole),
    Row("semicolon", [.range: "bytes=0-9;10-19"], .whole),
    Row("form of Content-Range", [.range: "bytes=0-9/100"], .whole),
    Row("two lines", [.range: "bytes=0-9", .range: "10-19"], .whole),
    Row("the same line twice", [.range: "bytes=0-9", .range: "bytes=0-9"], .whole),
  ])
  func malformedRangesAreIgnored(row: Row) { row.check() }

  @Test(arguments: [
    Row("adjacent", [.range: "bytes=0-9,10-19"], .partial(0..<20)),
    Row("overlapping", [.range: "bytes=0-9,5-19"], .partial(0..<20)),
    Row("one in another", [.range: "bytes=0-49,10-19,45-"], .partial(0..<100)),
    Row("any order", [.range: "bytes=20-29,0-9,10-19"], .partial(0..<30)),
    Row("the same twice", [.range: "bytes=0-9,0-9"], .partial(0..<10)),
    Row("gap", [.range: "bytes=0-9,11-19"], .whole),
    Row("first and last byte", [.range: "bytes=0-0,-1"], .whole),
    Row("suffix meets a range", [.range: "bytes=80-89,-10"], .partial(80..<100)),
    Row("one satisfiable", [.range: "bytes=100-,0-9,-0"], .partial(0..<10)),
    Row("none satisfiable", [.range: "bytes=100-,200-300,-0"], .rangeNotSatisfiable),
    Row("50 ranges", [.range: "bytes=" + ranges(50)], .partial(0..<50)),
    Row("51 ranges", [.range: "bytes=" + ranges(51)], .whole),
    Row("51 unsatisfiable ranges", [.range: "bytes=" + PreconditionsTests.many("900-,", 51)], .whole),
    Row("empty representation, suffix and first", [.range: "bytes=0-,-1"], .whole, length: 0),
  ])
  func severalRanges(row: Row) { row.check() }

  /// Against a model that marks single bytes: all pairs of ranges over small representations.
  @Test func agreesWithMarkedBytes() {
    let numbers = ["", "0", "1", "2", "3", "4", "6"]
    let specs = numbers.flatMap { first in numbers.map { (first, $0) } }
    for length in 0...4 {
      for one in specs {
        for two in specs {
          let text = "bytes=\(one.0)-\(one.1),\(two.0)-\(two.1)"
          let outcome = Preconditions(method: .get, fields: [.range: text]).outcome(
            entityTag: nil, lastModified: nil, length: length, now: Date(timeIntervalSince1970: 0))
          #expect(outcome == Self.model([one, two], length: length), "\(text) of \(length)")
        }
      }
    }
  }

  private static func model(_ specs: [(String, String)], length: Int) -> Outcome {
    var marked = Set<Int>()
    var isSatisfiable = false
    for (first, last) in specs {
      switch (Int(first), Int(last)) {
      case (nil, nil): return .whole
      case (nil, let count?):
        marked.formUnion((0..<length).suffix(count))
        isSatisfiable = isSatisfiable || count > 0
      case (let first?, let last):
        if let last, last < first { return .whole }
        marked.formUnion((0..<length).filter { $0 >= first && $0 <= last ?? length })
        isSatisfiable = isSatisfiable || first < length
      }
    }
    guard isSatisfiable else { return .rangeNotSatisfiable }
    guard let low = marked.min(), let high = marked.max(), marked.count == high - low + 1 else {
      return .whole
    }
    return .partial(low..<high + 1)
  }

  static func ranges(_ count: Int) -> String { (0..<count).map { "\($0)-\($0)" }.joined(separator: ",") }
}
