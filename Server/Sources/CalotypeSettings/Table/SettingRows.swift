/// Makes lists of rows, each of which the compiler checks by itself.
@resultBuilder
enum SettingRows {
  static func buildExpression(_ row: Setting) -> [Setting] { [row] }
  static func buildBlock(_ rows: [Setting]...) -> [Setting] { rows.flatMap { $0 } }

  /// The rows of a group.
  static func group(_ group: SettingGroup, @SettingRows _ rows: () -> [Setting]) -> [Setting] {
    rows().map { row in
      var row = row
      row.group = group
      return row
    }
  }
}
