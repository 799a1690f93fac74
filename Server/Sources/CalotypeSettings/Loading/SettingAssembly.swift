/// Puts values into settings.
struct SettingAssembly: Sendable {
  let files: any FileReading

  /// Reads the value of an assignment and writes it. Returns `false` and adds a problem if it cannot be read.
  func assign(
    _ assignment: SettingAssignment, _ loaded: inout LoadedSettings, _ problems: inout ProblemList
  ) -> Bool {
    let row = assignment.row
    var input = assignment.input
    if assignment.namesFile {
      let (content, found) = SecretFile.read(assignment, files)
      problems.append(contentsOf: found)
      guard let content else { return false }
      input = content
    }
    if case .text(let text) = input, let reason = row.unsupportedValues[text.lowercased()] {
      problems.append(
        SettingsProblem(
          .unsupported, .warning, at: place(assignment), value: text, "the value is not supported: \(reason)",
          remedy: "write one of \(row.kind.summary)"))
      return true
    }
    let reader = SettingReader(settings: loaded.settings) { path throws(SettingFault) in
      do throws(FileReadingError) {
        let file = try files.read(path, limit: SettingsLoader.maxFileBytes)
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
          throw .notText
        }
        let lines = SettingText.split(text, by: "\n")
        return LineFile(path: path, lines: lines.last == "" ? lines.dropLast() : lines)
      } catch {
        throw SettingFault(
          "the file cannot be read: \(error)", remedy: "give the path of a file that the server may read")
      }
    }
    do throws(SettingFault) {
      let value = try reader.read(input, row.kind)
      guard row.binding.write(&loaded.settings, value) else {
        throw SettingFault("the value is a \(row.kind.summary)", remedy: "write one")
      }
    } catch {
      problems.append(
        SettingsProblem(
          .invalidValue, at: place(assignment), value: row.isSecret ? nil : input.text, error.rule,
          remedy: error.remedy))
      return false
    }
    loaded.origins[row.name] = assignment.place
    return true
  }

  private func place(_ assignment: SettingAssignment) -> SettingPlace {
    assignment.namesFile ? .named(path: assignment.input.text, line: 0) : assignment.place
  }

  /// Takes imgproxy's defaults where they are wanted, with a note for each; else notes those that differ, for those who have
  /// settings of imgproxy.
  func applyDefaults(
    _ winners: [String: SettingAssignment], _ loaded: inout LoadedSettings, _ problems: inout ProblemList
  ) {
    let isWanted = loaded.settings.loading.usesImgproxyDefaults
    guard isWanted || winners.values.contains(where: { $0.rank == .imgproxy }) else { return }
    let reader = SettingReader(settings: loaded.settings) { path throws(SettingFault) in
      throw SettingFault("a default is no file", remedy: "")
    }
    for row in SettingTable.rows where winners[row.name] == nil {
      guard let text = row.imgproxyDefault, let value = try? reader.read(.text(text), row.kind) else {
        continue
      }
      let ours = row.text(in: loaded.settings)
      if isWanted {
        guard row.binding.write(&loaded.settings, value) else { continue }
        loaded.origins[row.name] = .imgproxy
        problems.append(
          SettingsProblem(.imgproxyDefault, .note, "\(row.name) is \(text) instead of \(ours)"))
      } else {
        problems.append(
          SettingsProblem(
            .differentDefault, .note, "\(row.name) is \(ours), while imgproxy's default is \(text)",
            remedy: "set it, or pass --imgproxy-defaults"))
      }
    }
  }
}
