/// Reads variables: those of the environment, or of an env file.
struct EnvironmentSource: Sendable {
  /// A variable with its place.
  struct Variable: Sendable {
    let name: String
    let value: String
    let place: SettingPlace
  }

  private struct Target: Sendable {
    let row: Setting
    let rank: SettingAssignment.Rank
    let namesFile: Bool
    var alias: SettingAlias?
  }

  /// The rows by all names of their variables.
  private static let targets: [String: Target] = {
    var targets: [String: Target] = [:]
    for row in SettingTable.rows where row.channels.contains(.environment) {
      var names: [(String, SettingAssignment.Rank)] = [(row.variable, .own)]
      if let name = row.imgproxyVariable { names.append((name, .imgproxy)) }
      for (name, rank) in names {
        targets[name] = Target(row: row, rank: rank, namesFile: false)
        if row.isSecret { targets[name + "_FILE"] = Target(row: row, rank: rank, namesFile: true) }
      }
      for alias in row.aliases {
        targets[alias.variable] = Target(row: row, rank: .alias, namesFile: false, alias: alias)
      }
    }
    return targets
  }()

  private static let nearest = NearestName(
    SettingTable.rows.filter { $0.channels.contains(.environment) }.flatMap { row in
      [row.variable] + (row.imgproxyVariable.map { [$0] } ?? [])
    })

  /// Most unknown names for which known ones are looked for.
  private static let maxSuggestions = 32

  /// The assignments that variables make. Empty ones make none, unless their setting may be empty.
  static func read(_ variables: [Variable]) -> (assignments: [SettingAssignment], problems: [SettingsProblem])
  {
    var assignments: [SettingAssignment] = []
    var problems: [SettingsProblem] = []
    var suggestions = 0
    for variable in variables {
      guard let target = targets[variable.name] else {
        guard hasKnownPrefix(variable.name), !isServiceLink(variable) else { continue }
        if let unused = SettingTable.unused.first(where: { $0.matches(variable.name) }) {
          if !variable.value.isEmpty, let problem = problem(unused, variable) { problems.append(problem) }
          continue
        }
        suggestions += 1
        let known = suggestions <= maxSuggestions ? nearest.nearest(to: variable.name) : nil
        problems.append(
          SettingsProblem(
            .unknownVariable, .warning, at: place(variable), "no setting has this name",
            remedy: known.map { "write \($0), or remove it" } ?? "remove it"))
        continue
      }
      guard !variable.value.isEmpty || target.row.acceptsEmpty && target.rank != .alias else { continue }
      if let deprecation = target.alias?.deprecation {
        problems.append(
          SettingsProblem(
            .deprecated, .warning, at: variable.place, deprecation, remedy: "write \(target.row.variable)"))
      }
      assignments.append(
        SettingAssignment(
          row: target.row, input: .text((target.alias?.prefix ?? "") + variable.value), place: variable.place,
          rank: target.rank, namesFile: target.namesFile))
    }
    return (assignments, problems)
  }

  private static func hasKnownPrefix(_ name: String) -> Bool {
    ["CALOTYPE_", "IMGPROXY_", "IMGRPOXY_"].contains { name.hasPrefix($0) }
  }

  /// Whether Kubernetes made a variable for a service whose name begins with a prefix of ours.
  private static func isServiceLink(_ variable: Variable) -> Bool {
    let name = variable.name
    if name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") { return true }
    if name.hasSuffix("_PORT") { return variable.value.contains("://") }
    return name.contains("_PORT_") && (name.contains("_TCP") || name.contains("_UDP"))
  }

  /// The place of a variable whose name may be anything.
  private static func place(_ variable: Variable) -> SettingPlace {
    switch variable.place {
    case .environmentFile(let path, let line, let name):
      .environmentFile(path: path, line: line, name: SettingText.shortened(name))
    default: .variable(SettingText.shortened(variable.name))
    }
  }

  private static func problem(_ unused: UnusedSetting, _ variable: Variable) -> SettingsProblem? {
    switch unused.status {
    case .ignored: nil
    case .alias:
      SettingsProblem(.deprecated, .warning, at: variable.place, unused.reason, remedy: "remove it")
    case .planned:
      SettingsProblem(
        .unsupported, .warning, at: variable.place, "it is not supported yet: \(unused.reason)",
        remedy: "remove it")
    default:
      SettingsProblem(
        .unsupported, .warning, at: variable.place, "it is not supported: \(unused.reason)",
        remedy: "remove it")
    }
  }
}
