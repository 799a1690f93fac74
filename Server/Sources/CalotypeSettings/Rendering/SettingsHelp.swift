/// The help on the options of the command line.
public enum SettingsHelp {
  /// The most columns of a line.
  public static let width = 100

  /// All options by group, each with its values, default and meaning.
  public static func text() -> String {
    var lines: [String] = []
    for group in SettingGroup.allCases {
      let rows = SettingTable.rows.filter { $0.group == group && $0.channels.contains(.flag) }
      guard !rows.isEmpty else { continue }
      lines += lines.isEmpty ? [group.title + ":"] : ["", group.title + ":"]
      for row in rows { lines += self.lines(row) }
    }
    lines += [""]
    lines += TextWrap.lines(
      "Each option is a variable, too: CALOTYPE_QUALITY for --quality, CALOTYPE_KEY or CALOTYPE_KEY_FILE for "
        + "--key-file; and so are imgproxy's, such as IMGPROXY_QUALITY. Later ones win: TOML file, env file, "
        + "environment, options. Secrets are never options.", width: width)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ row: Setting) -> [String] {
    let indent = 6
    let standard = row.isSecret ? "" : row.text(in: Settings())
    let values = row.isSecret ? "path" : row.kind.summary
    // `true or false` says nothing that the name of a switch does not.
    let first =
      switch (row.kind, row.value(in: Settings())) {
      case (.flag, .flag(true)): "  \(row.flag), --no-\(row.flag.dropFirst(2))"
      case (.flag, _): "  \(row.flag)"
      default: "  \(row.flag) <\(values)>"
      }
    var text = row.summary
    if !row.hasEffect { text += " Without effect yet." }
    if row.isSecret { text += " The value is in a file of that path." }
    if !standard.isEmpty { text += " Default: \(standard)." }
    let head =
      first.count <= width
      ? [first]
      : TextWrap.lines(first, width: width - indent).enumerated().map { $0 == 0 ? "  " + $1 : "      " + $1 }
    return head
      + TextWrap.lines(text, width: width - indent).map { String(repeating: " ", count: indent) + $0 }
  }
}
