/// A setting of imgproxy without a use here.
public struct UnusedSetting: Sendable {
  /// The name behind `IMGPROXY_`; a star at the end stands for all names that begin so.
  public let name: String
  /// ``SettingStatus/refused``, ``SettingStatus/planned``, ``SettingStatus/ignored`` or ``SettingStatus/alias``.
  public let status: SettingStatus
  /// The reason, and a replacement if there is one.
  public let reason: String
  let prefix: String

  init(_ name: String, _ status: SettingStatus, _ reason: String, prefix: String = "IMGPROXY_") {
    self.name = name
    self.status = status
    self.reason = reason
    self.prefix = prefix
  }

  /// The whole name.
  public var variable: String { prefix + name }

  /// Whether a variable of the environment is the one, or one of those, of this setting.
  func matches(_ variable: String) -> Bool {
    if name.utf8.last == UInt8(ascii: "*") { return variable.hasPrefix(self.variable.dropLast()) }
    return variable == self.variable
  }
}
