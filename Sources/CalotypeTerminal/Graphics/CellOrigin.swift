/// The origin of the cells of a rectangle, and the way of the cursor there.
enum CellOrigin: Hashable, Sendable {
  /// The upper left corner of the screen.
  case screen
  /// The first of so many lines that stand above the cursor.
  case above(lines: Int)

  /// Moves the cursor from where it rests.
  func move(toColumn column: Int, row: Int) -> String {
    switch self {
    case .screen: "\(ControlSequence.csi)\(row + 1);\(column + 1)H"
    case .above(let lines): "\r" + ControlSequence.up(lines - row) + Self.right(column)
    }
  }

  private static func right(_ columns: Int) -> String {
    columns > 0 ? "\(ControlSequence.csi)\(columns)C" : ""
  }
}
