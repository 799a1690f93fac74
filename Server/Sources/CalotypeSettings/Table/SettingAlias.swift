/// Another name of a setting in the environment.
public struct SettingAlias: Hashable, Sendable {
  /// The whole name.
  public let variable: String
  /// The reason why it should not be used; `nil` if it may.
  public let deprecation: String?
  /// A text in front of its value.
  let prefix: String

  init(_ variable: String, deprecated deprecation: String? = nil, prefix: String = "") {
    self.variable = variable
    self.deprecation = deprecation
    self.prefix = prefix
  }
}
