/// The tables of the page for those who come from imgproxy, made from the table of settings.
public enum MigrationTables {
  /// The settings whose defaults differ.
  public static func defaults() -> String { defaults(named: "imgproxy") { $0.imgproxyVariable } }

  /// The settings without a name there, whose defaults differ from what imgproxy does.
  public static func ownDefaults() -> String {
    defaults(named: "name") { $0.imgproxyVariable == nil ? $0.variable : nil }
  }

  private static func defaults(named title: String, _ variable: (Setting) -> String?) -> String {
    var lines = ["| \(title) | there | here | the meaning |", "| --- | --- | --- | --- |"]
    for row in SettingTable.rows {
      guard let other = row.imgproxyDefault, let name = variable(row) else { continue }
      lines.append("| `\(name)` | \(code(other)) | \(code(row.text(in: Settings()))) | \(row.summary) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The variables that are read with another name, or do more.
  public static func names() -> String {
    var lines = ["| imgproxy | here |", "| --- | --- |"]
    for row in SettingTable.rows {
      if let name = row.imgproxyVariable, row.imgproxyName != row.name {
        lines.append("| `\(name)` | `\(row.variable)` |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The variables that have no effect, with the reasons.
  public static func unused() -> String {
    var lines = ["| imgproxy | status | the reason |", "| --- | --- | --- |"]
    for setting in SettingTable.unused {
      lines.append("| `\(setting.variable)` | \(setting.status.rawValue) | \(setting.reason) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func code(_ text: String) -> String { text.isEmpty ? "none" : "`\(text)`" }
}
