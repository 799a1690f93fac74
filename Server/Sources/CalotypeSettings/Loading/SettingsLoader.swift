/// Reads settings from all their sources and checks them.
///
/// ```swift
/// let inputs = SettingsInputs(environment: ProcessInfo.processInfo.environment, arguments: options)
/// do {
///   let loaded = try SettingsLoader.load(inputs)
/// } catch {
///   for problem in error.problems { print(problem) }
/// }
/// ```
///
/// Later sources win: defaults, TOML file, env file, environment, flags. An env file that `IMGPROXY_ENV_LOCAL_FILE_PATH` names wins
/// over the environment, as with imgproxy. Within a source, our names win over imgproxy's.
///
/// Blocks the calling thread while it reads files.
public enum SettingsLoader {
  /// Most bytes of a TOML or env file, and of a file of presets.
  static let maxFileBytes = 1 << 20
  /// Most bytes of a file that has a secret.
  static let maxSecretBytes = 64 << 10

  /// The settings, or everything that is wrong with them.
  public static func load(_ inputs: SettingsInputs) throws(SettingsError) -> LoadedSettings {
    var problems = ProblemList()
    let layers = SettingLayers(inputs, &problems)
    let winners = layers.winners(&problems)
    var loaded = LoadedSettings(settings: Settings(), origins: [:], problems: [])
    var failed: Set<String> = []
    let assembly = SettingAssembly(files: inputs.files)

    if let row = SettingTable.row("IMGPROXY_DEFAULTS"), let assignment = winners[row.name] {
      _ = assembly.assign(assignment, &loaded, &problems)
    }
    assembly.applyDefaults(winners, &loaded, &problems)
    for row in SettingTable.rows {
      guard let assignment = winners[row.name] else { continue }
      // Read above already, with its problems.
      if row.name == "IMGPROXY_DEFAULTS" { continue }
      if !assembly.assign(assignment, &loaded, &problems) { failed.insert(row.name) }
    }
    var validator = SettingsValidator(loaded, failed: failed)
    problems.append(contentsOf: validator.validate())
    problems.append(contentsOf: Self.planned(loaded))

    loaded.problems = problems.finished(isStrict: loaded.settings.loading.isStrict)
    guard !loaded.problems.contains(where: { $0.severity == .error }) else {
      throw SettingsError(loaded.problems)
    }
    return loaded
  }

  /// Warnings about settings that have no effect yet, and another value than their default.
  private static func planned(_ loaded: LoadedSettings) -> [SettingsProblem] {
    let standard = Settings()
    return SettingTable.rows.compactMap { row in
      guard !row.hasEffect, let place = loaded.origins[row.name], place != .imgproxy,
        !row.isEqual(loaded.settings, standard)
      else { return nil }
      return SettingsProblem(
        .planned, .warning, at: place, "the setting has no effect yet", remedy: "leave it out")
    }
  }
}
