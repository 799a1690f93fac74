/// Reads options of the command line: `--name value`, `--name=value`, and for Booleans `--name` and `--no-name`.
struct FlagSource: Sendable {
  private static let rows = Dictionary(
    uniqueKeysWithValues: SettingTable.rows.filter { $0.channels.contains(.flag) }.map { ($0.flag, $0) })
  /// The options that would have a secret.
  private static let secrets = Dictionary(
    uniqueKeysWithValues: SettingTable.rows.filter(\.isSecret).map { ("--" + Setting.dashed($0.name), $0) })
  private static let nearest = NearestName(Array(rows.keys))

  /// The assignments that options make.
  static func read(_ arguments: [String]) -> (assignments: [SettingAssignment], problems: [SettingsProblem]) {
    var assignments: [SettingAssignment] = []
    var problems: [SettingsProblem] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts.first ?? "")
      let place = SettingPlace.flag(SettingText.shortened(name))
      if let row = secrets[name] {
        // Its value is behind it, and is not read as another option.
        if parts.count == 1, let next = rest.first, !next.hasPrefix("--") { rest.removeFirst() }
        problems.append(
          SettingsProblem(
            .secretFlag, at: place, "every process sees the command line",
            remedy: "write \(row.flag) with the path of a file, or set \(row.variable)"))
        continue
      }
      guard let (row, negated) = row(name) else {
        let known = nearest.nearest(to: name)
        problems.append(
          SettingsProblem(
            .unknownFlag, at: place, "no option has this name",
            remedy: known.map { "write \($0)" } ?? "see --help"))
        if parts.count == 1, let next = rest.first, !next.hasPrefix("--") { rest.removeFirst() }
        continue
      }
      var value: String
      if parts.count == 2, !negated {
        value = String(parts[1])
      } else if row.kind == .flag, parts.count == 1 {
        value = negated ? "false" : "true"
      } else if parts.count == 1, let next = rest.first, !next.hasPrefix("--") {
        value = next
        rest.removeFirst()
      } else {
        problems.append(
          SettingsProblem(
            .unknownFlag, at: place, "the option has a value: \(row.kind.summary)",
            remedy: "write \(row.flag)=VALUE"))
        continue
      }
      if value.isEmpty, !row.acceptsEmpty { continue }
      assignments.append(
        SettingAssignment(
          row: row, input: .text(value), place: .flag(row.flag), rank: .own, namesFile: row.isSecret))
    }
    return (assignments, problems)
  }

  private static func row(_ name: String) -> (Setting, negated: Bool)? {
    if let row = rows[name] { return (row, false) }
    guard name.hasPrefix("--no-"), let row = rows["--" + name.dropFirst(5)], row.kind == .flag else {
      return nil
    }
    return (row, true)
  }
}
