/// Files that have secrets.
enum SecretFile {
  /// The text of a secret that a file has, without the line end behind it.
  static func read(
    _ assignment: SettingAssignment, _ files: any FileReading
  ) -> (input: SettingInput?, problems: [SettingsProblem]) {
    let path = assignment.input.text
    let file: SettingsFile
    do throws(FileReadingError) {
      file = try files.read(path, limit: SettingsLoader.maxSecretBytes)
    } catch {
      return (
        nil,
        [
          SettingsProblem(
            .unreadableFile, at: assignment.place, value: path, "the file cannot be read: \(error)",
            remedy: "give the path of a file that the server may read")
        ]
      )
    }
    let problems = exposure(of: file, path)
    guard let text = String(validating: file.bytes, as: UTF8.self) else {
      return (
        nil,
        problems + [
          SettingsProblem(
            .malformedFile, at: .named(path: path, line: 0), "the file is UTF-8", remedy: "convert it")
        ]
      )
    }
    if assignment.row.kind == .lines { return (.text(text), problems) }
    let lines = SettingText.split(text, by: "\n").map(SettingText.trimmed).filter { !$0.isEmpty }
    if lines.isEmpty {
      return (
        nil,
        problems + [
          SettingsProblem(
            .malformedFile, at: .named(path: path, line: 0), "the file is empty",
            remedy: "write the secret into it")
        ]
      )
    }
    // A list may have an item a line.
    return (lines.count == 1 ? .text(lines[0]) : .items(lines), problems)
  }

  /// The problems of a file with settings if some of them are secrets.
  static func exposure(
    of file: SettingsFile, _ path: String, _ assignments: [SettingAssignment]
  ) -> [SettingsProblem] {
    assignments.contains { $0.row.isSecret && !$0.namesFile } ? exposure(of: file, path) : []
  }

  private static func exposure(of file: SettingsFile, _ path: String) -> [SettingsProblem] {
    let place = SettingPlace.named(path: path, line: 0)
    if file.isWritableByOthers {
      return [
        SettingsProblem(
          .exposedFile, at: place, "other users may change the file, which has a secret",
          remedy: "chmod go-w \(path)")
      ]
    }
    if file.isReadableByOthers {
      return [
        SettingsProblem(
          .exposedFile, .warning, at: place, "all users may read the file, which has a secret",
          remedy: "chmod o-r \(path)")
      ]
    }
    return []
  }
}
