/// The tables of the page for those who come from imgproxy, made from the table of settings.
public enum MigrationTables {
  /// The settings whose defaults differ.
  public static func defaults() -> String {
    var lines = ["| imgproxy | there | here | the meaning |", "| --- | --- | --- | --- |"]
    for row in SettingTable.rows {
      guard let other = row.imgproxyDefault, let name = row.imgproxyVariable else { continue }
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
