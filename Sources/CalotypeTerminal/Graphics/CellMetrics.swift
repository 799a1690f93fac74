/// The size of a cell, and the pixels that a protocol can put into it.
package struct CellMetrics: Hashable, Sendable {
  /// Width and height in pixels of the screen.
  package var width: Double
  package var height: Double
  /// Pixels of a picture in a cell, side by side and one below the other.
  package var pixelsAcross: Double
  package var pixelsDown: Double

  /// The proportions of most fonts, where the cell size is not known.
  package static let assumed = CellMetrics(width: 10, height: 20)

  /// Cells that show every pixel of the screen.
  package init(width: Double, height: Double) {
    (self.width, self.height) = (width, height)
    (pixelsAcross, pixelsDown) = (width, height)
  }

  /// Cells that show two pixels, one above the other. A pixel is as wide as a cell and counts as one.
  package static func halfBlocks(of cell: CellMetrics) -> CellMetrics {
    var metrics = CellMetrics(width: 1, height: cell.height / cell.width)
    (metrics.pixelsAcross, metrics.pixelsDown) = (1, 2)
    return metrics
  }
}
