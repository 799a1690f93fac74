/// A name and a value, of a setting that is a list of them.
public struct SettingPair: Hashable, Sendable {
  /// The text in front of the equals sign.
  public let name: String
  /// The text behind it.
  public let value: String

  /// Makes a pair.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
