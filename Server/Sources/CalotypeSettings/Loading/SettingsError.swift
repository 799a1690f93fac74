/// Settings that cannot be used, with everything that is wrong with them.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, errors first. One at least is an error.
  public let problems: [SettingsProblem]

  init(_ problems: [SettingsProblem]) {
    self.problems = problems.filter { $0.severity == .error } + problems.filter { $0.severity != .error }
  }

  /// The errors alone.
  public var errors: [SettingsProblem] { problems.filter { $0.severity == .error } }

  /// A line for each error.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}
