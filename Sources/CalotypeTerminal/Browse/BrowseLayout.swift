/// Where the cells of a table stand in a window: pictures side by side, each with a caption below, and the status at the bottom.
struct BrowseLayout: Hashable, Sendable {
  /// Cells of the terminal that one picture may take.
  let picture: (columns: Int, rows: Int)
  /// Pictures side by side.
  let across: Int
  /// Pictures one below the other.
  let down: Int
  let window: Output.Size
  private let left: Int

  /// Between pictures side by side; below a caption.
  private static let gap = (columns: 2, rows: 1)

  /// - Parameters:
  ///   - window: Its size.
  ///   - columns: Columns that a picture may take; less in a narrow window.
  ///   - rows: Lines likewise.
  init(window: Output.Size, columns: Int, rows: Int) {
    let (columns, rows) = (max(1, min(columns, window.columns)), max(1, min(rows, window.rows - 2)))
    self.window = window
    picture = (columns, rows)
    across = max(1, (window.columns + Self.gap.columns) / (columns + Self.gap.columns))
    // The status has the last line.
    down = max(1, (window.rows - 1 + Self.gap.rows) / (rows + 1 + Self.gap.rows))
    left = (window.columns - across * (columns + Self.gap.columns) + Self.gap.columns) / 2
  }

  /// Pictures in the window.
  var capacity: Int { across * down }

  /// The place of a picture, by its number in the window; it has its caption in the line below.
  func area(_ place: Int) -> CellRectangle {
    CellRectangle(
      column: left + place % across * (picture.columns + Self.gap.columns),
      row: place / across * (picture.rows + 1 + Self.gap.rows), columns: picture.columns,
      rows: picture.rows)
  }

  static func == (one: BrowseLayout, other: BrowseLayout) -> Bool {
    one.window == other.window && one.picture == other.picture
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(window)
    hasher.combine(picture.columns)
    hasher.combine(picture.rows)
  }
}
