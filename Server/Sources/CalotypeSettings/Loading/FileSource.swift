/// Reads the entries of a TOML file.
struct FileSource: Sendable {
  private static let nearest = NearestName(SettingTable.rows.map(\.path))

  /// The assignments that the file makes.
  static func read(
    _ file: TOMLFile, path: String
  ) -> (assignments: [SettingAssignment], problems: [SettingsProblem]) {
    var problems = file.faults.map {
      SettingsProblem(
        .malformedFile, at: .file(path: path, line: $0.line, key: ""), $0.rule, remedy: $0.remedy)
    }
    var assignments: [SettingAssignment] = []
    /// The indices of settings whose pairs are a table.
    var tables: [String: Int] = [:]
    for entry in file.entries {
      let key = entry.path.joined(separator: ".")
      let place = SettingPlace.file(path: path, line: entry.line, key: SettingText.shortened(key))
      guard entry.path.count >= 2, let group = SettingGroup(rawValue: entry.path[0]),
        let (row, namesFile) = row(group, entry.path[1]),
        entry.path.count == 2 || entry.path.count == 3 && row.hasPairs && !namesFile
      else {
        let known = nearest.nearest(to: key)
        problems.append(
          SettingsProblem(
            .unknownKey, at: place, "no setting has this key",
            remedy: known.map { "write \($0)" } ?? "see the sample file"))
        continue
      }
      guard row.channels.contains(.file) else {
        problems.append(
          SettingsProblem(
            .misplaced, at: place, "the setting is needed before this file is read",
            remedy: "set \(row.variable) or \(row.flag)"))
        continue
      }
      if entry.path.count == 3 {
        guard case .text(let value) = entry.input else {
          problems.append(
            SettingsProblem(
              .invalidValue, at: place, "the setting has one value for each name",
              remedy: "write name = \"value\""))
          continue
        }
        let pair = SettingPair(entry.path[2], value)
        if let index = tables[row.name], case .pairs(let pairs) = assignments[index].input {
          assignments[index].input = .pairs(pairs + [pair])
        } else {
          tables[row.name] = assignments.count
          assignments.append(
            SettingAssignment(row: row, input: .pairs([pair]), place: place, rank: .own, namesFile: false))
        }
        continue
      }
      assignments.append(
        SettingAssignment(row: row, input: entry.input, place: place, rank: .own, namesFile: namesFile))
    }
    return (assignments, problems)
  }

  private static func row(_ group: SettingGroup, _ key: String) -> (Setting, namesFile: Bool)? {
    if let row = SettingTable.row(group, key: key) { return (row, false) }
    guard key.hasSuffix("_file"), let row = SettingTable.row(group, key: String(key.dropLast(5))),
      row.isSecret
    else { return nil }
    return (row, true)
  }
}

extension Setting {
  /// Whether the value is names and values.
  var hasPairs: Bool {
    switch kind {
    case .pairs, .headers, .qualities: true
    default: false
    }
  }
}
