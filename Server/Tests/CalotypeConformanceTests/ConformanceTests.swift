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
    for row in report.rows where row.vector.group != "address" {
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
    #expect(Self.published.isEmpty || report.count(.agree) > 400, "\(report.totals)")
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
    let report = await ConformanceReport(Self.own.filter { $0.group == "address" })
    #expect(report.totals == "1 rows: 0 agree, 0 differs, 1 refused (refused: address 1)")
    #expect(report.lines == ["own-other-01\trefused\tnot evaluated yet"])
  }

  @Test(arguments: DeliberateDifference.all.map(\.reason)) func differencesHaveReasons(_ reason: String) {
    #expect(reason.count > 20)
  }
}
