/// The difference between the settings of a running server and newly loaded ones: changes that take effect at once, and changes
/// that need a restart.
///
/// ```swift
/// let reload = try SettingsReload(running: current, loaded: SettingsLoader.load(inputs))
/// dialect = try ImgproxyDialect(reload.settings.dialect())       // one swap
/// for name in reload.pending { print("\(name) needs a restart") }
/// ```
public struct SettingsReload: Sendable {
  /// The running settings with the changes that take effect at once.
  public let settings: Settings
  /// The names of the settings that take effect at once.
  public let live: [String]
  /// The names of the settings that changed and need a restart.
  public let pending: [String]

  /// Compares settings.
  ///
  /// Throws the contradictions between the live changes and the settings that wait for a restart. The server then keeps
  /// all of its settings.
  public init(running: Settings, loaded: LoadedSettings) throws(SettingsError) {
    var settings = running
    var live: [String] = []
    var pending: [String] = []
    for row in SettingTable.rows where !row.isEqual(running, loaded.settings) {
      if row.isLive {
        row.binding.copy(loaded.settings, &settings)
        live.append(row.name)
      } else {
        pending.append(row.name)
      }
    }
    var validator = SettingsValidator(
      LoadedSettings(settings: settings, origins: loaded.origins, problems: []))
    let problems = validator.validate()
    guard !problems.contains(where: { $0.severity == .error }) else { throw SettingsError(problems) }
    self.settings = settings
    self.live = live
    self.pending = pending
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { live.isEmpty && pending.isEmpty }
}
