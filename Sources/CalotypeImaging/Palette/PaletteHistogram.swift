/// A histogram of the visible colours of a picture in cells.
struct PaletteHistogram {
  /// The pixels of one cell: their number, and the sums of their channels.
  struct Cell {
    var count: UInt64 = 0
    var sums = SIMD4<UInt64>.zero

    /// The mean of each channel: red, green, blue, alpha.
    var mean: SIMD4<Double> {
      SIMD4(Double(sums.x), Double(sums.y), Double(sums.z), Double(sums.w)) / Double(max(1, count))
    }
  }

  /// The cells that are not empty.
  let cells: [Cell]
}
