import Testing

@testable import CalotypeSettings

/// Every row changes settings, from every place where it may be set, and reports bad values with their place.
@Suite struct EffectTests {
  static let names = SettingTable.rows.map(\.name)

  private func base(_ row: Setting) throws -> Settings {
    try SettingsLoader.load(
      SettingsInputs(environment: RowSample.environment(row), files: RowSample.files)
    ).settings
  }

  /// The settings with companions alone; those that contradict themselves without the row are the defaults.
  private func compare(_ row: Setting, _ loaded: LoadedSettings, _ origin: SettingPlace) {
    let standard = (try? base(row)) ?? Settings()
    #expect(!row.isEqual(loaded.settings, standard), "\(row.name) has no effect")
    #expect(loaded.origins[row.name] == origin)
    // Changes many, which `DefaultsTests` knows.
    guard row.name != "IMGPROXY_DEFAULTS" else { return }
    for other in SettingTable.rows where other.name != row.name && !other.isEqual(loaded.settings, standard) {
      #expect(
        RowSample.environment(row)[other.variable] != nil || other.name == "CONFIG",
        "\(row.name) changes \(other.name)")
    }
  }

  @Test(arguments: names) func byEnvironment(name: String) throws {
    let row = try #require(SettingTable.row(name))
    let sample = RowSample.text(row)
    let standard = RowSample.environment(row)
    for variable in [row.variable] + (row.imgproxyVariable.map { [$0] } ?? []) {
      let loaded = try SettingsLoader.load(
        SettingsInputs(
          environment: standard.merging([variable: sample]) { $1 }, files: RowSample.files))
      compare(row, loaded, .variable(variable))
      guard row.isSecret else { continue }
      var files = RowSample.files
      files["/secret"] = SettingsFile(bytes: Array("\(sample)\n".utf8), mode: 0o600)
      let other = try SettingsLoader.load(
        SettingsInputs(environment: standard.merging(["\(variable)_FILE": "/secret"]) { $1 }, files: files))
      #expect(row.kind == .lines || other.settings == loaded.settings)
      #expect(other.problems.of(.exposedFile).isEmpty)
    }
  }

  @Test(arguments: names) func byFile(name: String) throws {
    let row = try #require(SettingTable.row(name))
    guard row.channels.contains(.file) else { return }
    var files = RowSample.files
    files["/c.toml"] = SettingsFile(
      bytes: Array(
        "# settings\n\n[\(row.group.rawValue)]\n\(row.key) = \(TOMLText.string(RowSample.text(row)))\n".utf8),
      mode: 0o600)
    let environment = RowSample.environment(row).merging(["CALOTYPE_CONFIG": "/c.toml"]) { $1 }
    let loaded = try SettingsLoader.load(SettingsInputs(environment: environment, files: files))
    compare(row, loaded, .file(path: "/c.toml", line: 4, key: row.path))
  }

  @Test(arguments: names) func byFlag(name: String) throws {
    let row = try #require(SettingTable.row(name))
    guard row.channels.contains(.flag) else { return }
    var files = RowSample.files
    files["/secret"] = SettingsFile(bytes: Array(RowSample.text(row).utf8), mode: 0o600)
    let value = row.isSecret ? "/secret" : RowSample.text(row)
    for arguments in [["\(row.flag)=\(value)"], row.kind == .flag ? [] : [row.flag, value]]
    where !arguments.isEmpty {
      let loaded = try SettingsLoader.load(
        SettingsInputs(environment: RowSample.environment(row), arguments: arguments, files: files))
      compare(row, loaded, .flag(row.flag))
    }
  }

  @Test(arguments: names) func badValuesAreReportedWithTheirPlace(name: String) throws {
    let row = try #require(SettingTable.row(name))
    let bad = RowSample.refused(row)
    let environment = RowSample.environment(row)
    func check(_ problems: [SettingsProblem], _ place: SettingPlace) {
      // A path is not read as a value, but as the place of a file.
      let code: SettingsProblem.Code =
        ["CONFIG", "ENV_FILE"].contains(row.name) ? .unreadableFile : .invalidValue
      let found = problems.of(code).filter { $0.place == place }
      #expect(!found.isEmpty, "\(row.name): \(problems)")
      for problem in found {
        #expect(problem.severity == .error)
        #expect((problem.value == nil) == row.isSecret)
        #expect(!problem.rule.isEmpty && !problem.remedy.isEmpty)
      }
      #expect(!row.isSecret || problems.allSatisfy { !"\($0)".contains(bad) })
    }
    check(
      failure(environment.merging([row.variable: bad]) { $1 }, files: RowSample.files, unsigned: false),
      .variable(row.variable))
    guard row.channels.contains(.file) else { return }
    var files = RowSample.files
    files["/c.toml"] = SettingsFile(
      bytes: Array("\n\(row.path) = \(TOMLText.string(bad))".utf8), mode: 0o600)
    check(
      failure(environment, ["--config", "/c.toml"], files: files, unsigned: false),
      .file(path: "/c.toml", line: 2, key: row.path))
    guard !row.isSecret else { return }
    check(
      failure(environment, ["\(row.flag)=\(bad)"], files: RowSample.files, unsigned: false), .flag(row.flag))
  }
}
