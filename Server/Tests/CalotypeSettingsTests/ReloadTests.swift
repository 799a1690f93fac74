import Testing

@testable import CalotypeSettings

/// Keys and presets change while the server runs, whole or not at all.
@Suite struct ReloadTests {
  static let live: Set<String> = [
    "KEY", "SALT", "KEY_IDS", "KEY_VALID_UNTIL", "TRUSTED_SIGNATURES", "SOURCE_URL_ENCRYPTION_KEY", "PRESETS",
    "PRESETS_SEPARATOR", "PRESETS_PATH", "INFO_PRESETS", "INFO_PRESETS_PATH",
  ]

  @Test(arguments: SettingTable.rows.map(\.name)) func everyRowIsLiveOrNeedsARestart(name: String) throws {
    let row = try #require(SettingTable.row(name))
    #expect(row.isLive == Self.live.contains(name))
    let loaded = try SettingsLoader.load(
      SettingsInputs(
        environment: RowSample.environment(row).merging([row.variable: RowSample.text(row)]) { $1 },
        files: RowSample.files))
    var running = loaded.settings
    row.binding.copy(Settings(), &running)
    guard let reload = try? SettingsReload(running: running, loaded: loaded) else {
      // The running settings contradict themselves without the row.
      #expect(!row.isLive)
      return
    }
    #expect(reload.live.contains(name) == row.isLive)
    #expect(reload.pending.contains(name) == !row.isLive || name == "IMGPROXY_DEFAULTS")
    #expect(row.isEqual(reload.settings, row.isLive ? loaded.settings : running))
  }

  private func keyed(_ key: String, _ extra: [String: String] = [:], files: MemoryFiles = MemoryFiles())
    throws
    -> LoadedSettings
  {
    try load(
      ["CALOTYPE_KEY": key, "CALOTYPE_SALT": key].merging(extra) { $1 }, files: files, unsigned: false)
  }

  @Test func nothingChanged() throws {
    let loaded = try keyed(RowSample.key)
    #expect(try SettingsReload(running: loaded.settings, loaded: loaded).isEmpty)
  }

  @Test func keysChangeAndOthersWait() throws {
    let old = try keyed(RowSample.key).settings
    let new = try keyed("00112233445566778899", ["CALOTYPE_QUALITY": "30"])
    let reload = try SettingsReload(running: old, loaded: new)
    #expect(reload.live == ["KEY", "SALT"])
    #expect(reload.pending == ["QUALITY"])
    #expect(reload.settings.security.keys == new.settings.security.keys)
    #expect(reload.settings.formats.quality == 80)
  }

  @Test func theContentOfAFileOfPresetsCounts() throws {
    let old = try keyed(
      RowSample.key, ["CALOTYPE_PRESETS_PATH": "/p"], files: MemoryFiles(["/p": "a=w:1"])
    ).settings
    let new = try keyed(RowSample.key, ["CALOTYPE_PRESETS_PATH": "/p"], files: MemoryFiles(["/p": "a=w:2"]))
    #expect(try SettingsReload(running: old, loaded: new).live == ["PRESETS_PATH"])
  }

  @Test func contradictionsAreRefused() throws {
    // The new presets are written with a separator that needs a restart.
    let old = try keyed(RowSample.key, ["CALOTYPE_PRESETS": "a=w:1"]).settings
    let new = try keyed(RowSample.key, ["CALOTYPE_PRESETS": "a=w;1", "CALOTYPE_ARGUMENTS_SEPARATOR": ";"])
    do {
      _ = try SettingsReload(running: old, loaded: new)
      Issue.record("the presets were accepted")
    } catch {
      #expect(error.errors.map(\.code) == [.invalidPreset])
    }
    // Keys are gone, while the word that none are wanted needs a restart.
    let unsigned = try load()
    #expect(throws: SettingsError.self) { try SettingsReload(running: old, loaded: unsigned) }
  }
}
