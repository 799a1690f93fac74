package import Calotype

/// The cells that a picture takes, and its pixels in them.
package struct PictureFit: Hashable, Sendable {
  package let columns: Int
  package let rows: Int
  /// The size to draw it at; never more than the cells have.
  package let pixels: PixelSize

  /// The largest that keeps the proportions within so many cells.
  ///
  /// - Parameters:
  ///   - picture: Its size; at least 1×1.
  ///   - columns: Cells side by side at most.
  ///   - rows: Cells one below the other at most.
  ///   - cell: How large they are.
  ///   - enlarges: Whether small pictures are enlarged.
  package init(_ picture: PixelSize, columns: Int, rows: Int, cell: CellMetrics, enlarges: Bool = false) {
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
  package static func decodeBox(columns: Int, rows: Int, cell: CellMetrics) -> PixelSize {
    PixelSize(
      width: max(1, Int((Double(columns) * cell.width).rounded())),
      height: max(1, Int((Double(rows) * cell.height).rounded())))
  }
}
