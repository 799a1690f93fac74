import FoundationEssentials
import Testing

@testable import CalotypeSettings

/// Help, documentation, reports and samples have every setting.
@Suite struct RenderingTests {
  @Test func helpHasEveryOptionInHundredColumns() {
    let help = SettingsHelp.text()
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines { #expect(line.count <= SettingsHelp.width, "\(line)") }
    for row in SettingTable.rows {
      #expect(
        lines.contains {
          $0 == "  \(row.flag)" || $0.hasPrefix("  \(row.flag) <") || $0.hasPrefix("  \(row.flag), --no-")
        }, "\(row.name)")
    }
    for group in SettingGroup.allCases { #expect(help.contains("\(group.title):\n"), "\(group)") }
    #expect(help.contains("Quality. Default: 80."))
    #expect(help.contains("\n  --use-etag, --no-use-etag\n"))
  }

  @Test func wrapping() {
    #expect(TextWrap.lines("a bb ccc", width: 4) == ["a bb", "ccc"])
    #expect(TextWrap.lines("aaaaaa b", width: 4) == ["aaaaaa", "b"])
    #expect(TextWrap.lines("", width: 4) == [""])
  }

  /// Run the tests with `CALOTYPE_WRITE_REFERENCE=1` to write the page anew.
  @Test func theReferenceIsCurrent() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Configuration.md")
    let text = SettingsReference.markdown()
    if ProcessInfo.processInfo.environment["CALOTYPE_WRITE_REFERENCE"] == "1" {
      try Data(text.utf8).write(to: page)
    }
    let written = String(decoding: try Data(contentsOf: page), as: UTF8.self)
    #expect(written == text, "run the tests with CALOTYPE_WRITE_REFERENCE=1")
  }

  @Test func theReferenceHasEverySetting() {
    let text = SettingsReference.markdown()
    for row in SettingTable.rows { #expect(text.contains("\n| `\(row.name)`"), "\(row.name)") }
    for setting in SettingTable.unused {
      #expect(text.contains("\n| `\(setting.variable)` |"), "\(setting.name)")
    }
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let bars = SettingText.split(SettingText.split(String(line), by: "\\|").joined(), by: "|").count - 1
      #expect(bars == 8 || bars == 4, "\(line)")
    }
  }

  @Test func theReportHasEveryValueAndItsPlace() throws {
    let loaded = try load(["IMGPROXY_QUALITY": "70", "IMGPROXY_QUALTIY": "1"])
    let text = SettingsReport(loaded).text()
    for row in SettingTable.rows { #expect(text.contains("\n\(row.name) "), "\(row.name)") }
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("QUALITY ") })
    #expect(line.hasSuffix("(IMGPROXY_QUALITY)") && line.contains(" 70 "))
    #expect(text.contains("warning: IMGPROXY_QUALTIY: no setting has this name"))
    let changed = SettingsReport(loaded, onlyChanged: true).text()
    #expect(changed.contains("QUALITY ") && !changed.contains("WEBP_EFFORT"))
  }

  @Test func theReportIsJSON() throws {
    struct Report: Decodable {
      struct Row: Decodable {
        let value: String
        let origin: String
      }
      struct Problem: Decodable {
        let code: String
        let severity: String
        let place: String?
        let rule: String
        let remedy: String
      }
      let settings: [String: Row]
      let problems: [Problem]
    }
    let loaded = try load(["IMGPROXY_BASE_URL": "a\"b\\c\td", "CALOTYPE_SECRET": "word-in-confidence"])
    let report = try JSONDecoder().decode(Report.self, from: Data(SettingsReport(loaded).json().utf8))
    #expect(report.settings.count == SettingTable.rows.count)
    #expect(report.settings["BASE_URL"]?.value == "a\"b\\c\td")
    #expect(report.settings["BASE_URL"]?.origin == "IMGPROXY_BASE_URL")
    #expect(report.settings["SECRET"]?.value == "••••")
    #expect(report.problems.count == loaded.problems.count)
    #expect(JSONText.string("\u{1}\u{7F}\n") == "\"\\u0001\\u007f\\n\"")
  }

  /// A sample whose lines all count is read as the defaults.
  @Test func samplesAreRead() throws {
    let header = Set(["# Settings of calotype-server. Lines without a number sign count."])
    func uncommented(_ text: String, _ isSetting: (Substring) -> Bool) -> String {
      text.split(separator: "\n").compactMap { line in
        guard line.hasPrefix("# "), !header.contains(String(line)) else { return String(line) }
        return isSetting(line.dropFirst(2)) ? String(line.dropFirst(2)) : nil
      }.joined(separator: "\n")
    }
    let toml = uncommented(SettingsSample.toml()) { line in
      SettingTable.rows.contains { line.hasPrefix("\($0.key) = ") && !$0.isSecret }
    }
    let environment = uncommented(SettingsSample.environment()) { line in
      SettingTable.rows.contains { line.hasPrefix("\($0.variable)=") }
    }
    let files = MemoryFiles(["/c.toml": toml, "/e.env": environment])
    var standard = Settings()
    standard.security.allowsUnsigned = true
    for (option, path) in [("--config", "/c.toml"), ("--env-file", "/e.env")] {
      let loaded = try load([:], ["\(option)=\(path)"], files: files)
      for row in SettingTable.rows where row.flag != option {
        #expect(row.isEqual(loaded.settings, standard), "\(path): \(row.name)")
      }
    }
    let rows = SettingTable.rows.filter { $0.channels.contains(.file) && !$0.isSecret }
    #expect(TOMLFile(Array(toml.utf8)).entries.count >= rows.count - 1)
    #expect(SettingsSample.toml().contains("# key_file = \"/run/secrets/key\""))
  }
}
