/// The settings in effect, with their places; secrets are masked.
public struct SettingsReport: Sendable {
  private struct Row: Sendable {
    let setting: Setting
    let value: String
    let origin: SettingPlace
  }

  private let rows: [Row]
  private let problems: [SettingsProblem]

  /// Describes settings; `onlyChanged` leaves defaults out.
  public init(_ loaded: LoadedSettings, onlyChanged: Bool = false) {
    rows = SettingTable.rows.compactMap { setting in
      let origin = loaded.origin(of: setting)
      guard !onlyChanged || origin != .standard else { return nil }
      return Row(setting: setting, value: setting.text(in: loaded.settings), origin: origin)
    }
    problems = loaded.problems
  }

  /// A table for people: name, value, place.
  public func text() -> String {
    let limit = 60
    let width = rows.map { $0.setting.name.count }.max() ?? 0
    var text = ""
    var group: SettingGroup?
    for row in rows {
      if row.setting.group != group {
        text += (group == nil ? "" : "\n") + "[\(row.setting.group.rawValue)]\n"
        group = row.setting.group
      }
      let value = SettingText.shortened(row.value)
      let name = row.setting.name + String(repeating: " ", count: width - row.setting.name.count)
      let line = name + "  " + (value.isEmpty ? "–" : value)
      if row.origin == .standard {
        text += line + "\n"
      } else {
        let padding = String(repeating: " ", count: max(2, width + limit / 2 - line.count))
        text += line + padding + "(\(row.origin))\n"
      }
    }
    for problem in problems { text += "\(problem.severity): \(problem)\n" }
    return text
  }

  /// A JSON object: `settings`, each with `value` and `origin` by its name, and `problems`.
  public func json() -> String {
    let settings = rows.map { row in
      JSONText.string(row.setting.name) + ":{\"value\":" + JSONText.string(row.value) + ",\"origin\":"
        + JSONText.string("\(row.origin)") + "}"
    }
    let problems = problems.map { problem in
      "{\"code\":" + JSONText.string(problem.code.rawValue) + ",\"severity\":"
        + JSONText.string("\(problem.severity)") + ",\"place\":"
        + (problem.place.map { JSONText.string("\($0)") } ?? "null") + ",\"rule\":"
        + JSONText.string(problem.rule) + ",\"remedy\":" + JSONText.string(problem.remedy) + "}"
    }
    return
      "{\"settings\":{\(settings.joined(separator: ","))},\"problems\":[\(problems.joined(separator: ","))]}"
  }
}
