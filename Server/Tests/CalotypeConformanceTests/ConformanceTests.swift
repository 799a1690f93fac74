import CalotypeConformance
import FoundationEssentials
import Testing

/// The published and derived cases of imgproxy from the file beside the checkout if it is there, and our own.
@Suite("Conformance")
struct ConformanceTests {
  /// `CALOTYPE_CONFORMANCE`, or `shared/conformance/imgproxy-cases.tsv` beside the checkout.
  static let published: [ConformanceVector] = {
    if let path = ProcessInfo.processInfo.environment["CALOTYPE_CONFORMANCE"] { return read(path) }
    return read(folder + "/../../../../shared/conformance/imgproxy-cases.tsv")
  }()

  static let own = read(folder + "/Vectors/rules.tsv")

  private static var folder: String { String(#filePath.prefix(through: lastSlash).dropLast()) }
  private static var lastSlash: String.Index { #filePath.lastIndex(of: "/") ?? #filePath.startIndex }

  private static func read(_ path: String) -> [ConformanceVector] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return ConformanceVector.vectors(in: String(decoding: data, as: UTF8.self))
  }

  @Test func ownRulesHold() async {
    let report = await ConformanceReport(Self.own)
    #expect(report.rows.count > 70)
    for row in report.rows {
      #expect(
        row.verdict.kind == .agree,
        "\(row.vector.id): \(row.vector.input) gives \(row.verdict.found), not \(row.vector.expected)")
    }
  }

  @Test func publishedRulesHold() async {
    let report = await ConformanceReport(Self.published)
    for row in report.rows where report.unexplained.contains(row.vector) {
      Issue.record(
        "\(row.vector.id): \(row.vector.input) gives \(row.verdict.found), not \(row.vector.expected)")
    }
    // Groups that need no server have no rows that nobody evaluates.
    for group in ["size", "size-derived", "position", "accept", "vary", "hints", "format", "skip"] {
      #expect(report.count(.refused, in: group) == 0, "\(group)")
    }
    #expect(Self.published.isEmpty || report.count(.agree) > 550, "\(report.totals)")
  }

  @Test func aWrongAnswerDiffers() async {
    let wrong = Self.own.filter {
      ["size", "position", "accept", "hints", "format", "skip", "sig"].contains($0.group)
    }
    .map { ConformanceVector(id: $0.id, group: $0.group, input: $0.input, expected: "999x999") }
    #expect(wrong.count > 50)
    let report = await ConformanceReport(wrong)
    // A signature that is not called invalid is expected to be valid.
    #expect(report.count(.differs) == wrong.count, "\(report.lines.filter { !$0.contains("differs") })")
  }

  @Test func unknownGroupsAreRefused() async {
    let vector = ConformanceVector(id: "other-1", group: "other", input: "a", expected: "b")
    let report = await ConformanceReport([vector])
    #expect(report.totals == "1 rows: 0 agree, 0 differs, 1 refused (refused: other 1)")
    #expect(report.lines == ["other-1\trefused\tnot evaluated yet"])
  }

  /// Rows as they are, and with an answer that no server gives.
  @Test(arguments: [
    ("address", "private? 10.1.2.3", "private", "not private"),
    ("address", "loopback? 10.1.2.3", "no", "yes"),
    ("address", "embedded IPv4 of 2002:0a00:0001::", "10.0.0.1", "none"),
    ("env", "bool \"true\"", "true", "error"), ("env", "bool \"yes\"", "error", "true"),
    ("env", "int \"42\"", "42", "43"),
    ("env", "MP \"0.5\"", "500000", "0"), ("env", "map \"a=b;;c=d\"", "two entries", "three entries"),
    ("env", "pattern a*/b against axx/b", "match", "no match"), ("env", "file missing", "error", "skipped"),
    ("cache-control", "TTL=100", "max-age=100, public", "no-cache"),
    ("cache-control", "passthrough, origin max-age=5", "max-age=5", "max-age=6"),
    ("header", "SET_CANONICAL_HEADER off", "no Link", "Link: <a>"),
    ("disposition", "url=…/a.png ext=.jpg", "inline; filename=\"a.jpg\"", "attachment; filename=\"a.jpg\""),
    ("conditional-request", "ETag on; INM a", "a sent", "IMS sent"),
    ("conditional-response", "ETag on, origin etag9", "ETag: etag9", "none"),
    ("conditional-http", "ETag off", "no ETag", "304"),
    ("conditional-http", "LM on, client IMS equal", "IMS sent, origin 304 → 304", "200"),
    ("status", "origin 503", "502", "200"), ("status", "body is not an image", "422", "404"),
    ("status", "address refused", "404", "200"), ("status", "client goes away", "499", "200"),
    ("status", "SECRET set, no Authorization", "403 Forbidden", "403 Hello"),
    ("status", "X-Request-ID: a-b", "echoed", "replaced by a new id"),
    ("origin-206", "origin 206 Content-Range: bytes 0-(n-1)/n", "200", "404"),
    ("origin-206", "origin 206 Content-Range: bytes 0-3/n", "404", "200"),
  ]) func groupsTellRightFromWrong(_ group: String, _ input: String, _ right: String, _ wrong: String) async {
    for (expected, kind) in [(right, ConformanceVerdict.Kind.agree), (wrong, .differs)] {
      let vector = ConformanceVector(id: "x", group: group, input: input, expected: expected)
      let verdict = await ConformanceEvaluator().evaluate(vector)
      #expect(verdict.kind == kind, "\(input) → \(verdict.found), expected \(expected)")
    }
  }

  @Test(arguments: DeliberateDifference.all.map(\.reason)) func differencesHaveReasons(_ reason: String) {
    #expect(reason.count > 20)
  }

  /// The page for those who come from imgproxy says what differs on purpose.
  @Test func differencesAreDocumented() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Migrating.md")
    let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
    // Sizes: a row that contradicts its own source.
    for difference in DeliberateDifference.all where difference.group != "size" {
      #expect(text.contains(difference.reason), "\(difference.reason)")
    }
  }
}
