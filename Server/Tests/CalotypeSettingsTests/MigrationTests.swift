import FoundationEssentials
import Testing

@testable import CalotypeSettings

/// The page for those who come from other servers names settings that exist.
@Suite("Migration")
struct MigrationTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Migrating.md")

  private static let tables = [
    "defaults": MigrationTables.defaults(), "own defaults": MigrationTables.ownDefaults(),
    "names": MigrationTables.names(), "unused": MigrationTables.unused(),
  ]

  private static func text() throws -> String { String(decoding: try Data(contentsOf: page), as: UTF8.self) }

  /// Run the tests with `CALOTYPE_WRITE_REFERENCE=1` to write the tables anew.
  @Test func tablesAreCurrent() throws {
    let written = try Self.text()
    var text = written
    for (name, table) in Self.tables {
      let start = try #require(text.firstRange(of: "<!-- \(name) -->\n"))
      let end = try #require(text[start.upperBound...].firstRange(of: "<!-- end -->"))
      text.replaceSubrange(start.upperBound..<end.lowerBound, with: table)
    }
    if ProcessInfo.processInfo.environment["CALOTYPE_WRITE_REFERENCE"] == "1" {
      try Data(text.utf8).write(to: Self.page)
    } else {
      #expect(written == text, "run the tests with CALOTYPE_WRITE_REFERENCE=1")
    }
  }

  /// `IMGPROXY_DEFAULTS` changes no setting that the page does not name.
  @Test func allOtherDefaultsAreNamed() throws {
    let text = try Self.text()
    let differing = SettingTable.rows.filter { $0.imgproxyDefault != nil }
    for row in differing {
      #expect(text.contains("| `\(row.imgproxyVariable ?? row.variable)` |"), "\(row.name)")
    }
    #expect(differing.contains { $0.imgproxyVariable == nil })
  }

  /// Names in capital letters, between backticks; those of thumbor are in the first column of its table.
  @Test func settingsExist() throws {
    let known = Set(
      SettingTable.rows.flatMap { [$0.name, $0.variable] + [$0.imgproxyVariable].compactMap(\.self) }
    )
    .union(SettingTable.unused.map(\.variable)).union(["IMGPROXY_NAME", "CALOTYPE_NAME"])
    let parts = try Self.text().split(separator: "| thumbor.conf | here |")
    let ours =
      String(parts[0])
      + parts[1].split(separator: "\n").map { $0.split(separator: "|").last ?? "" }.joined(separator: "\n")
    var count = 0
    for quoted in ours.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    where quoted.offset % 2 == 1 {
      let name = quoted.element.prefix { $0 != "=" }
      guard name.count > 2, name.allSatisfy({ $0.isUppercase || $0.isNumber || $0 == "_" || $0 == "*" })
      else {
        continue
      }
      if name == "HEAD" || name == "GET" { continue }
      count += 1
      #expect(known.contains(String(name)), "\(name)")
    }
    #expect(count > 60)
  }
}
