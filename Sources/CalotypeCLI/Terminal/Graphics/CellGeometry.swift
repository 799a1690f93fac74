import Calotype

/// A rectangle of cells; the upper left cell is at 0, 0.
struct CellRectangle: Hashable, Sendable {
  var column: Int
  var row: Int
  var columns: Int
  var rows: Int
}

/// What the cells of a rectangle are counted from, and with it how the cursor gets there.
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

/// How large a cell is, and how many pixels a protocol can put into it.
struct CellMetrics: Hashable, Sendable {
  /// Width and height in pixels of the screen.
  var width: Double
  var height: Double
  /// Pixels of a picture in a cell, side by side and one below the other.
  var pixelsAcross: Double
  var pixelsDown: Double

  /// Where nobody knows better: the proportions of most fonts.
  static let assumed = CellMetrics(width: 10, height: 20)

  /// Cells that show every pixel of the screen.
  init(width: Double, height: Double) {
    (self.width, self.height) = (width, height)
    (pixelsAcross, pixelsDown) = (width, height)
  }

  /// Cells that show two pixels, one above the other. A pixel is as wide as a cell and counts as one.
  static func halfBlocks(of cell: CellMetrics) -> CellMetrics {
    var metrics = CellMetrics(width: 1, height: cell.height / cell.width)
    (metrics.pixelsAcross, metrics.pixelsDown) = (1, 2)
    return metrics
  }
}

/// The cells that a picture takes, and its pixels in them.
struct PictureFit: Hashable, Sendable {
  let columns: Int
  let rows: Int
  /// The size to draw it at; never more than the cells have.
  let pixels: PixelSize

  /// The largest that keeps the proportions within so many cells.
  ///
  /// - Parameters:
  ///   - picture: Its size; at least 1×1.
  ///   - columns: Cells side by side at most.
  ///   - rows: Cells one below the other at most.
  ///   - cell: How large they are.
  ///   - enlarges: Whether small pictures are enlarged.
  init(_ picture: PixelSize, columns: Int, rows: Int, cell: CellMetrics, enlarges: Bool = false) {
    let (columns, rows) = (max(1, columns), max(1, rows))
    let (width, height) = (Double(max(1, picture.width)), Double(max(1, picture.height)))
    var scale = min(Double(columns) * cell.width / width, Double(rows) * cell.height / height)
    if !enlarges { scale = min(1, scale) }
    func length(_ length: Double, _ cells: Int, _ pixels: Double, _ unit: Double) -> Int {
      max(1, min(Int(Double(cells) * pixels), Int((length * scale * pixels / unit).rounded())))
    }
    let pixels = PixelSize(
      width: length(width, columns, cell.pixelsAcross, cell.width),
      height: length(height, rows, cell.pixelsDown, cell.height))
    self.pixels = pixels
    self.columns = min(columns, Int((Double(pixels.width) / cell.pixelsAcross).rounded(.up)))
    self.rows = min(rows, Int((Double(pixels.height) / cell.pixelsDown).rounded(.up)))
  }

  /// The box in square pixels that a picture has to be decoded for.
  static func decodeBox(columns: Int, rows: Int, cell: CellMetrics) -> PixelSize {
    PixelSize(
      width: max(1, Int((Double(columns) * cell.width).rounded())),
      height: max(1, Int((Double(rows) * cell.height).rounded())))
  }
}
