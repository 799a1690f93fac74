import Testing

@testable import CalotypeSettings

/// The table has every setting of imgproxy, and nothing twice.
@Suite struct TableTests {
  @Test(arguments: ImgproxyNames.all) func hasEverySettingOfImgproxy(name: String) {
    let variable = "IMGPROXY_" + name
    let isRow = SettingTable.rows.contains { row in
      row.imgproxyName == name || row.aliases.contains { $0.variable == variable }
    }
    let isUnused = SettingTable.unused.contains {
      $0.name == name || !name.hasSuffix("*") && $0.matches(variable)
    }
    #expect(isRow != isUnused, "\(name)")
  }

  @Test func hasNoOtherSettingOfImgproxy() {
    let known = Set(ImgproxyNames.all)
    for row in SettingTable.rows {
      if let name = row.imgproxyName { #expect(known.contains(name), "\(name)") }
      #expect((row.imgproxyName == nil) == (row.status == .own), "\(row.name)")
    }
    for setting in SettingTable.unused where !setting.name.hasSuffix("*") {
      #expect(known.contains(setting.name), "\(setting.name)")
    }
  }

  @Test func readsThePortOfThePlatformAndMisspelledNames() throws {
    #expect(try load(["PORT": "9001"]).settings.server.bind == .port(host: "", 9001))
    #expect(
      try load(["IMGRPOXY_SWIFT_TIMEOUT_SECONDS": "1"]).problems.of(.unsupported).count == 1)
  }

  @Test func hasUniqueNames() {
    let rows = SettingTable.rows
    #expect(Set(rows.map(\.name)).count == rows.count)
    #expect(Set(rows.map(\.flag)).count == rows.count)
    #expect(Set(rows.map(\.path)).count == rows.count)
    let files = rows.filter(\.isSecret).map { $0.path + "_file" }
    #expect(Set(files).isDisjoint(with: rows.map(\.path)))
    let variables = rows.flatMap { row in
      let names = [row.variable] + (row.imgproxyVariable.map { [$0] } ?? [])
      return names + (row.isSecret ? names.map { $0 + "_FILE" } : []) + row.aliases.map(\.variable)
    }
    #expect(Set(variables).count == variables.count)
    #expect(variables.allSatisfy { variable in !SettingTable.unused.contains { $0.matches(variable) } })
  }

  @Test(arguments: SettingTable.rows.map(\.name)) func defaultsAreWrittenAndReadAsThemselves(name: String)
    throws
  {
    let row = try #require(SettingTable.row(name))
    let standard = Settings()
    let reader = SettingReader(settings: standard) { _ throws(SettingFault) in .none }
    let texts = [SettingWriter(standard).write(row.value(in: standard), row.kind)]
    for text in texts where !text.isEmpty {
      #expect(try reader.read(.text(text), row.kind) == row.value(in: standard))
    }
    if let text = row.imgproxyDefault {
      let value = try reader.read(.text(text), row.kind)
      var settings = standard
      #expect(row.binding.write(&settings, value))
      #expect(!row.isEqual(settings, standard), "imgproxy's default is ours")
    }
  }

  @Test func sentencesEndAndSecretsAreNoOptions() {
    for row in SettingTable.rows {
      #expect(row.summary.hasSuffix("."), "\(row.name)")
      #expect(row.isSecret == row.flag.hasSuffix("-file") || row.name == "ENV_FILE", "\(row.name)")
    }
  }
}
