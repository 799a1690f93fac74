import Testing

@testable import CalotypeSettings

/// Settings without an effect are named as such: each other one is read by code of the server.
@Suite struct PlannedTests {
  /// The settings whose effect is on settings themselves.
  private static let withinSettings: Set<String> = [
    "CONFIG", "ENV_FILE", "STRICT_ENV", "IMGPROXY_DEFAULTS", "ALLOW_UNSIGNED", "ALLOW_SHORT_SIGNATURES",
    "NETWORK", "PRESETS_SEPARATOR", "CUSTOM_HEADERS_SEPARATOR",
  ]
  /// The settings that reach the plan of a result, which says that something else is done.
  private static let approximated: Set<String> = [
    "JPEG_QUANT_TABLE", "ENFORCE_THUMBNAIL",
  ]

  @Test func everySettingIsReadOrPlanned() throws {
    let uses = try SettingUses()
    #expect(Set(uses.properties.keys) == Set(SettingTable.rows.map(\.name)))
    for row in SettingTable.rows {
      let property = try #require(uses.properties[row.name])
      let isRead = uses.read.contains(property)
      if Self.withinSettings.contains(row.name) {
        #expect(row.hasEffect && !isRead, "\(row.name)")
      } else if Self.approximated.contains(row.name) {
        #expect(!row.hasEffect && isRead, "\(row.name)")
      } else {
        #expect(isRead == row.hasEffect, "\(row.name): \(property)")
      }
    }
  }

  @Test func plannedSettingsExist() {
    #expect(SettingTable.withoutEffect.allSatisfy { SettingTable.row($0) != nil })
  }

  @Test(arguments: SettingTable.withoutEffect.sorted()) func plannedSettingsWarn(name: String) throws {
    let row = try #require(SettingTable.row(name))
    let environment = RowSample.environment(row).merging([row.variable: RowSample.text(row)]) { $1 }
    func problems(_ environment: [String: String], _ arguments: [String] = []) throws -> [SettingsProblem] {
      try SettingsLoader.load(
        SettingsInputs(environment: environment, arguments: arguments, files: RowSample.files)
      ).problems.of(.planned)
    }
    let found = try problems(environment)
    #expect(found.contains { $0.place == .variable(row.variable) && $0.severity == .warning }, "\(found)")
    #expect(throws: SettingsError.self) { try problems(environment, ["--strict-env"]) }
  }

  @Test func defaultsDoNotWarn() throws {
    #expect(
      try load(["CALOTYPE_STEP_DOWN_FORMATS": "true", "IMGPROXY_QUALITY": "70"]).problems.of(.planned).isEmpty
    )
    #expect(try load([:], ["--imgproxy-defaults"]).problems.of(.planned).isEmpty)
  }

  @Test func referenceAndHelpSayIt() {
    let line = SettingsReference.markdown().split(separator: "\n").first {
      $0.hasPrefix("| `PNG_UNLIMITED` ")
    }
    #expect(line?.contains(", planned |") == true)
    #expect(SettingsHelp.text().contains("Turns the decoder's own limits of PNG off. Without effect yet."))
  }
}
