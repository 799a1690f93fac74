import CalotypeServing
import CalotypeSettings

/// `calotype-server check`: reads the settings as the server would, and prints those in effect.
enum CheckCommand {
  /// Returns the status of the process: 0 if the server would start with the settings.
  static func run(_ inputs: SettingsInputs) -> Int32 {
    var inputs = inputs
    let isJSON = inputs.arguments.contains("--json")
    inputs.arguments.removeAll { $0 == "--json" }
    do {
      let loaded = try SettingsLoader.load(inputs)
      // Presets, keys and replacements are read, too.
      _ = try ServingRules(loaded.settings)
      try ServerParts.check(loaded.settings)
      let report = SettingsReport(loaded)
      print(isJSON ? report.json() : report.text())
      return 0
    } catch let error as SettingsError {
      for problem in error.problems { ServerCommand.complain("\(problem.severity): \(problem)") }
    } catch {
      ServerCommand.complain("error: \(error)")
    }
    return 1
  }
}
