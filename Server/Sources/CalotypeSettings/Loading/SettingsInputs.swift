/// Everything from which settings are read.
public struct SettingsInputs: Sendable {
  /// The environment of the process.
  public var environment: [String: String]
  /// The options of the command line, without the program and the name of a command.
  public var arguments: [String]
  /// The file system.
  public var files: any FileReading

  /// Collects inputs.
  public init(
    environment: [String: String] = [:], arguments: [String] = [], files: any FileReading = SystemFiles()
  ) {
    self.environment = environment
    self.arguments = arguments
    self.files = files
  }
}

/// The numbers alone: libraries log descriptions, and the environment has keys.
extension SettingsInputs: CustomStringConvertible, CustomReflectable {
  /// The numbers of variables and arguments.
  public var description: String { "\(environment.count) variables, \(arguments.count) arguments" }
  /// The description.
  public var customMirror: Mirror { Mirror(self, children: ["inputs": description]) }
}
