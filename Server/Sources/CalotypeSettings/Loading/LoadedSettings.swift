/// Settings, the places that set them, and warnings and notes about them.
public struct LoadedSettings: Sendable {
  /// The settings.
  public internal(set) var settings: Settings
  /// The place of each setting that is not a default of Calotype's, by the name of its row.
  public internal(set) var origins: [String: SettingPlace]
  /// Warnings and notes.
  public internal(set) var problems: [SettingsProblem]

  /// The place of a setting.
  public func origin(of row: Setting) -> SettingPlace { origins[row.name] ?? .standard }
}
