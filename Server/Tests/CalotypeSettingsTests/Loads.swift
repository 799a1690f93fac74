import CalotypeSettings
import Testing

/// The result of a load that succeeds: `ALLOW_UNSIGNED` is set unless keys are wanted.
func load(
  _ environment: [String: String] = [:], _ arguments: [String] = [], files: MemoryFiles = MemoryFiles(),
  unsigned: Bool = true, _ location: SourceLocation = #_sourceLocation
) throws -> LoadedSettings {
  var environment = environment
  if unsigned { environment["CALOTYPE_ALLOW_UNSIGNED"] = "1" }
  do {
    return try SettingsLoader.load(
      SettingsInputs(environment: environment, arguments: arguments, files: files))
  } catch {
    Issue.record("\(error)", sourceLocation: location)
    throw error
  }
}

/// The problems of a load that fails.
func failure(
  _ environment: [String: String] = [:], _ arguments: [String] = [], files: MemoryFiles = MemoryFiles(),
  unsigned: Bool = true, _ location: SourceLocation = #_sourceLocation
) -> [SettingsProblem] {
  var environment = environment
  if unsigned { environment["CALOTYPE_ALLOW_UNSIGNED"] = "1" }
  do {
    _ = try SettingsLoader.load(
      SettingsInputs(environment: environment, arguments: arguments, files: files))
    Issue.record("the settings were accepted", sourceLocation: location)
    return []
  } catch {
    return error.problems
  }
}

extension Sequence<SettingsProblem> {
  /// The problems of a kind.
  func of(_ code: SettingsProblem.Code) -> [SettingsProblem] { filter { $0.code == code } }
}
