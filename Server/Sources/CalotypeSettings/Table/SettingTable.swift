/// All settings.
///
/// A new setting is a property of ``Settings``, a row here, and a name in the list of the tests.
public enum SettingTable {
  /// The settings, in an order in which none depends on a later one for how it is read.
  public static let rows: [Setting] =
    loading + server + security + limits + concurrency + httpCache + formats + quality + processing
    + watermark + fallback + presets + urls + sources + cache + metrics + logging + compatibility

  /// The settings of imgproxy without a use here.
  public static let unused: [UnusedSetting] =
    unusedServer + unusedFormats + unusedModels + unusedSources + unusedObserving

  /// A row by its name without a prefix.
  public static func row(_ name: String) -> Setting? { byName[name] }

  /// A row by a group and its key in the TOML table.
  static func row(_ group: SettingGroup, key: String) -> Setting? { byPath["\(group.rawValue).\(key)"] }

  private static let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
  private static let byPath = Dictionary(uniqueKeysWithValues: rows.map { ($0.path, $0) })
}
