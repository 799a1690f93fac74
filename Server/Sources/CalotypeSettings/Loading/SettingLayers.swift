/// The assignments of all sources; those of later layers win.
struct SettingLayers: Sendable {
  private var layers: [[SettingAssignment]] = []

  /// Reads all sources.
  init(_ inputs: SettingsInputs, _ problems: inout ProblemList) {
    let flags = FlagSource.read(inputs.arguments)
    let environment = EnvironmentSource.read(
      inputs.environment.sorted { $0.key < $1.key }.map {
        EnvironmentSource.Variable(name: $0.key, value: $0.value, place: .variable($0.key))
      })
    problems.append(contentsOf: flags.problems)
    problems.append(contentsOf: environment.problems)

    var variables = [environment.assignments]
    if let path = Self.path("ENV_FILE", [environment.assignments, flags.assignments]) {
      let assignments = Self.environmentFile(path, inputs, &problems)
      // imgproxy's file overrides the environment; ours is overridden.
      if path.rank == .imgproxy {
        variables.append(assignments)
      } else {
        variables.insert(assignments, at: 0)
      }
    }
    var files: [[SettingAssignment]] = []
    if let path = Self.path("CONFIG", variables + [flags.assignments]) {
      files.append(Self.file(path, inputs, &problems))
    }
    layers = files + variables + [flags.assignments]
  }

  private static func path(_ name: String, _ layers: [[SettingAssignment]]) -> SettingAssignment? {
    for layer in layers.reversed() {
      let candidates = layer.enumerated().filter { $0.element.row.name == name }
      if let best = candidates.max(by: { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }) {
        return best.element
      }
    }
    return nil
  }

  private static func environmentFile(
    _ path: SettingAssignment, _ inputs: SettingsInputs, _ problems: inout ProblemList
  ) -> [SettingAssignment] {
    guard let file = read(path, inputs, &problems) else { return [] }
    let name = path.input.text
    let content = EnvFile(file.bytes, environment: inputs.environment)
    problems.append(
      contentsOf: content.faults.map {
        SettingsProblem(
          .malformedFile, at: .environmentFile(path: name, line: $0.line, name: ""), $0.rule,
          remedy: $0.remedy)
      })
    // The last of several equal names.
    var latest: [String: EnvFile.Entry] = [:]
    for entry in content.entries { latest[entry.name] = entry }
    let (assignments, found) = EnvironmentSource.read(
      latest.values.sorted { $0.line < $1.line }.map {
        EnvironmentSource.Variable(
          name: $0.name, value: $0.value,
          place: .environmentFile(path: name, line: $0.line, name: SettingText.shortened($0.name)))
      })
    problems.append(contentsOf: found)
    for assignment in assignments where assignment.row.name == "ENV_FILE" {
      problems.append(
        SettingsProblem(
          .misplaced, at: assignment.place, "an env file names no other", remedy: "set it in the environment")
      )
    }
    let kept = assignments.filter { $0.row.name != "ENV_FILE" }
    problems.append(contentsOf: SecretFile.exposure(of: file, name, kept))
    return kept
  }

  private static func file(
    _ path: SettingAssignment, _ inputs: SettingsInputs, _ problems: inout ProblemList
  ) -> [SettingAssignment] {
    guard let file = read(path, inputs, &problems) else { return [] }
    let (assignments, found) = FileSource.read(TOMLFile(file.bytes), path: path.input.text)
    problems.append(contentsOf: found)
    problems.append(contentsOf: SecretFile.exposure(of: file, path.input.text, assignments))
    return assignments
  }

  private static func read(
    _ path: SettingAssignment, _ inputs: SettingsInputs, _ problems: inout ProblemList
  ) -> SettingsFile? {
    do throws(FileReadingError) {
      return try inputs.files.read(path.input.text, limit: SettingsLoader.maxFileBytes)
    } catch {
      problems.append(
        SettingsProblem(
          .unreadableFile, at: path.place, value: path.input.text, "the file cannot be read: \(error)",
          remedy: "give the path of a file that the server may read"))
      return nil
    }
  }

  /// The assignment that counts for each setting.
  func winners(_ problems: inout ProblemList) -> [String: SettingAssignment] {
    var winners: [String: SettingAssignment] = [:]
    for layer in layers {
      var inLayer: [String: SettingAssignment] = [:]
      for assignment in layer {
        let name = assignment.row.name
        guard let other = inLayer[name] else {
          inLayer[name] = assignment
          continue
        }
        let winner = assignment.rank >= other.rank ? assignment : other
        let loser = assignment.rank >= other.rank ? other : assignment
        inLayer[name] = winner
        if winner.rank == loser.rank, winner.namesFile != loser.namesFile {
          problems.append(
            SettingsProblem(
              .conflict, at: loser.place, "\(winner.place) sets it, too", remedy: "remove one of them"))
        } else if winner.rank != loser.rank, loser.rank != .alias, winner.input != loser.input {
          problems.append(
            SettingsProblem(
              .conflict, .warning, at: loser.place, "\(winner.place) sets it, too, and counts",
              remedy: "remove one of them"))
        }
      }
      winners.merge(inLayer) { $1 }
    }
    return winners
  }
}
