/// A value for a setting, as one of its names in one of the sources gives it.
struct SettingAssignment: Sendable {
  /// The order of the names of a setting within a source; the last wins.
  enum Rank: Int, Comparable, Sendable {
    case alias
    case imgproxy
    case own

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  let row: Setting
  var input: SettingInput
  let place: SettingPlace
  let rank: Rank
  /// Whether the input is the path of a file that has the value.
  let namesFile: Bool
}
