import CalotypeURLs
import Testing

@testable import CalotypeSettings

/// TOML files are read with the line of each value.
@Suite struct TOMLTests {
  private func entries(_ text: String) -> [String: SettingInput] {
    let file = TOMLFile(Array(text.utf8))
    #expect(file.faults.isEmpty, "\(file.faults)")
    return Dictionary(file.entries.map { ($0.path.joined(separator: "."), $0.input) }) { $1 }
  }

  @Test(arguments: [
    (#"a = "x\ty\"\\\u00e9\U0001F600""#, "x\ty\"\\é😀"), (#"a = 'x\ty'"#, #"x\ty"#), ("a = \"\"", ""),
    ("a = \"\"\"\nx\ny\"\"\"", "x\ny"), ("a = \"\"\"x\\\n   y\"\"\"", "xy"), ("a = '''\nx'y\n'''", "x'y\n"),
    ("a = \"\"\"x\"\"\"\"\"", "x\"\""), ("a = 1", "1"), ("a = 1_000", "1000"), ("a = 0xff", "255"),
    ("a = 0b101", "5"), ("a = 0o17", "15"), ("a = -1.5e3", "-1.5e3"), ("a = true", "true"),
    ("a = inf", "inf"),
    ("a = 2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
    ("a = 2026-01-31 12:00:00Z # c", "2026-01-31 12:00:00Z"),
    ("a=1#c", "1"), ("  a  =  1  ", "1"), ("\"a\" = 1\r\n", "1"), ("'a' = 1", "1"),
  ]) func values(text: String, value: String) { #expect(entries(text) == ["a": .text(value)]) }

  @Test func tables() {
    #expect(
      entries(
        """
        top = 1
        [a] # comment
        b = 1
        c.d = 2
        e = { f = 3, "g.h" = [ ] , i.j = 4 }

        [ a . "k" ]
        l = [ "1", # one
          2, true,
        ]
        [m]
        """) == [
          "top": .text("1"), "a.b": .text("1"), "a.c.d": .text("2"), "a.e.f": .text("3"),
          "a.e.g.h": .items([]),
          "a.e.i.j": .text("4"), "a.k.l": .items(["1", "2", "true"]),
        ])
  }

  @Test(arguments: [
    ("a = ", [1]), ("a", [1]), ("a = 1 2", [1]), ("a = b", [1]), ("\n\na = \"x\n", [3]), ("a = 'x", [1]),
    ("a = 1\na = 2", [2]), ("[a]\nb = 1\n[a]", [3]), ("a = 1\n[a]\nb = 1", [2]), ("a.b = 1\na = 1", [2]),
    ("a = 1\na.b = 1", [2]), ("a = [1, 2", [1]), ("a = [[1]]", [1]), ("[[a]]\nb = 1", [1]),
    ("a = {b = 1", [1]),
    ("a = {b = 1, b = 2}", [1]), ("[a", [1]), ("a = \"\\x\"", [1]), ("a = \"\\uD800\"", [1]),
    ("a = \"\"\"x", [1]),
    ("= 1", [1]), ("a..b = 1", [1]), ("a = 1979-05-27", [1]), ("a = 0x", [1]),
    ("a = 99999999999999999999e", [1]),
    ("x = ?\ny = 1\nz = ?", [1, 3]), ("a.b.c.d.e.f.g.h.i = 1", [1]), ("a = [1 2]", [1]), ("é = 1", [1]),
  ]) func faultsHaveTheirLine(text: String, lines: [Int]) {
    #expect(TOMLFile(Array(text.utf8)).faults.map(\.line) == lines)
  }

  @Test func linesAreCountedInSeveralLines() {
    let file = TOMLFile(Array("a = \"\"\"\n\n\"\"\"\nb = [\n1,\n\n2]\nc = 1".utf8))
    #expect(file.entries.map(\.line) == [1, 4, 8])
  }

  @Test func sizesAreBounded() {
    let many = (0..<5000).map { "a\($0) = 1\n" }.joined()
    let file = TOMLFile(Array(many.utf8))
    #expect(file.entries.count == TOMLFile.maxEntries && file.faults.count == 1)
    #expect(TOMLFile(Array(String(repeating: "?\n", count: 5000).utf8)).faults.count == TOMLFile.maxFaults)
    for nested in ["{a=", "["] {
      #expect(!TOMLFile(Array(("a = " + String(repeating: nested, count: 200_000)).utf8)).faults.isEmpty)
    }
  }

  @Test func settingsTakeTablesAndArrays() throws {
    let files = MemoryFiles([
      "/c.toml": """
      [formats]
      preferred_formats = ["webp", "jpg"]
      format_quality = {webp = 70}
      [formats.skip_processing_formats]
      [urls.url_replacements]
      "a://*" = "b://${1}"
      "c=d" = 'e;f'
      [security]
      key_file = "/key"
      salt = ["00112233445566778899", "aabbccddeeff00112233"]
      max_redirects = 3
      """, "/key": "00112233445566778899\naabbccddeeff00112233\n",
    ])
    let settings = try load([:], ["--config=/c.toml"], files: files, unsigned: false).settings
    #expect(settings.formats.preferred == [.webp, .jpeg])
    #expect(settings.formats.formatQuality == [.webp: 70])
    #expect(settings.urls.replacements == [SettingPair("a://*", "b://${1}"), SettingPair("c=d", "e;f")])
    #expect(settings.security.keys.count == 2 && settings.security.salts.count == 2)
    #expect(settings.security.maxRedirects == 3)
  }

  @Test func singleValuesAreNoArrays() {
    for text in ["[formats]\nquality = [1, 2]", "[formats]\nquality = {a = 1}", "[formats.quality]\na = 1"] {
      let problems = failure([:], ["--config=/c.toml"], files: MemoryFiles(["/c.toml": text]))
      #expect(problems.count { $0.severity == .error } == 1, "\(problems)")
    }
    #expect(
      failure([:], ["--config=/c.toml"], files: MemoryFiles(["/c.toml": "[loading]\nconfig = \"/d.toml\""]))
        .of(.misplaced).count == 1)
  }
}
