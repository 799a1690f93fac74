/// How a setting relates to imgproxy's.
public enum SettingStatus: String, Hashable, Sendable, CaseIterable {
  /// Means the same as in imgproxy.
  case map
  /// Means the same, with more values or a safer behaviour.
  case mapPlus = "map+"
  /// An old name of another setting, or a setting without a use here; read with a warning.
  case alias
  /// imgproxy has none like it.
  case own
  /// Not supported; a warning if it is set.
  case refused
  /// Not supported yet; a warning if it is set.
  case planned
  /// Has no use here, which needs no warning.
  case ignored
}
