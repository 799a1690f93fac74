/// A rectangle of cells; the upper left cell is at 0, 0.
struct CellRectangle: Hashable, Sendable {
  var column: Int
  var row: Int
  var columns: Int
  var rows: Int
}
