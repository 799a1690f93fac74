import CalotypeURLs

/// Sample files with all settings, each commented out and with its default.
public enum SettingsSample {
  /// A TOML file.
  public static func toml() -> String {
    var text = "# Settings of calotype-server. Lines without a number sign count.\n"
    for group in SettingGroup.allCases {
      let rows = SettingTable.rows.filter { $0.group == group && $0.channels.contains(.file) }
      guard !rows.isEmpty else { continue }
      text += "\n[\(group.rawValue)]\n"
      for row in rows {
        text += comment(row)
        text +=
          row.isSecret
          ? "# \(row.key)_file = \"/run/secrets/\(row.name.lowercased())\"\n"
          : "# \(row.key) = \(value(row))\n"
      }
    }
    return text
  }

  /// A file of environment variables.
  public static func environment() -> String {
    var text = "# Settings of calotype-server. Lines without a number sign count.\n"
    for group in SettingGroup.allCases {
      text += "\n# \(group.title)\n"
      for row in SettingTable.rows where row.group == group && row.channels.contains(.environment) {
        text += comment(row)
        text +=
          row.isSecret
          ? "# \(row.variable)_FILE=/run/secrets/\(row.name.lowercased())\n"
          : "# \(row.variable)='\(row.text(in: Settings()))'\n"
      }
    }
    return text
  }

  private static func comment(_ row: Setting) -> String {
    let values = row.isSecret ? "path of a file with: \(row.kind.summary)" : row.kind.summary
    return TextWrap.lines("\(row.summary) (\(values))", width: 98).map { "# \($0)\n" }.joined()
  }

  private static func value(_ row: Setting) -> String {
    switch row.value(in: Settings()) {
    case .flag, .real: row.text(in: Settings())
    case .integer where row.kind != .byteCount: row.text(in: Settings())
    case .duration(let duration) where duration.components.attoseconds == 0: row.text(in: Settings())
    case .list(let items): "[" + items.map(TOMLText.string).joined(separator: ", ") + "]"
    case .formats(let formats): "[" + formats.map { TOMLText.string($0.name) }.joined(separator: ", ") + "]"
    case .pairs(let pairs):
      "{" + pairs.map { "\(TOMLText.string($0.name)) = \(TOMLText.string($0.value))" }.joined(separator: ", ")
        + "}"
    case .qualities(let qualities):
      "{"
        + qualities.sorted { $0.key < $1.key }.map { "\($0.key.name) = \($0.value)" }.joined(separator: ", ")
        + "}"
    case .networks, .times, .bytes: "[]"
    default: TOMLText.string(row.text(in: Settings()))
    }
  }
}
