/// The reference of all settings in Markdown.
public enum SettingsReference {
  /// The whole page.
  public static func markdown() -> String {
    var text = introduction
    for group in SettingGroup.allCases {
      text += "\n## \(group.title)\n\nTOML table `[\(group.rawValue)]`.\n\n"
      text += "| Setting | TOML key | Values | Default | imgproxy | Status | Meaning |\n"
      text += "| --- | --- | --- | --- | --- | --- | --- |\n"
      for row in SettingTable.rows where row.group == group { text += line(row) }
    }
    text += unused
    return text
  }

  private static let introduction = """
    # Settings

    <!-- Made from the table of settings. Change the table and run the tests with CALOTYPE_WRITE_REFERENCE=1. -->

    `QUALITY` is the variable `CALOTYPE_QUALITY`, the option `--quality` and the key `quality` in the table `[formats]` of the TOML
    file. imgproxy's variable `IMGPROXY_QUALITY` is read as well, unless the column *imgproxy* has another name.

    Later sources win: defaults, the TOML file of `--config`, the env file of `--env-file`, the environment, options. An env file
    that `IMGPROXY_ENV_LOCAL_FILE_PATH` names wins over the environment, as with imgproxy. Empty variables are as good as none.

    **Secrets** are never options. `NAME_FILE`, or `name_file` in the TOML file, or the option `--name-file`, has the path of a file
    with the secret, which only its owner should be able to read; a list has an item a line.

    *Status*: **map** means the same as in imgproxy; **map+** accepts more or is safer; **own** is Calotype's. A default of imgproxy
    that differs stands behind the status; `--imgproxy-defaults` takes all of them. Settings marked *live* take effect on SIGHUP.
    Those marked *planned* have no effect yet: the server warns of them when it starts, and so does `calotype-server check`.

    """

  private static func line(_ row: Setting) -> String {
    let standard = row.isSecret ? "" : row.text(in: Settings())
    var imgproxy = row.imgproxyName.map { $0 == row.name ? "" : "`\($0)`" } ?? "–"
    for alias in row.aliases { imgproxy += (imgproxy.isEmpty ? "" : ", ") + "`\(alias.variable)`" }
    var status = row.status.rawValue
    if let other = row.imgproxyDefault { status += ", there `\(other)`" }
    if row.isLive { status += ", live" }
    if !row.hasEffect { status += ", planned" }
    for value in row.unsupportedValues.keys.sorted() { status += ", not `\(value)`" }
    let key = row.channels.contains(.file) ? "`\(row.key)`" : "–"
    let cells = [
      "`\(row.name)`" + (row.isSecret ? " (secret)" : ""), key, row.kind.summary,
      standard.isEmpty ? "" : "`\(standard)`", imgproxy, status, row.summary,
    ]
    return "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
  }

  private static var unused: String {
    var text = """

      ## Settings of imgproxy without a use here

      They are accepted with a warning, or refused with `--strict-env`; ignored ones need no warning.

      | Variable | Status | Reason |
      | --- | --- | --- |

      """
    for setting in SettingTable.unused {
      text += "| `\(setting.variable)` | \(setting.status.rawValue) | \(escaped(setting.reason)) |\n"
    }
    return text
  }

  private static func escaped(_ text: String) -> String {
    SettingText.split(text, by: "|").joined(separator: "\\|")
  }
}
