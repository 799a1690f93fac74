import CPixels

/// The values of YCbCr that are black and white (TIFF tag 532), if they are not those of JPEG.
struct TIFFReferenceRange {
  /// Black and white of Y, Cb and Cr.
  private let values: [Double]

  /// - Returns: `nil` if the range is that of JPEG, or makes no sense.
  init?(_ directory: TIFFDirectory, _ bytes: RawSpan, in file: TIFFFile) {
    guard let entry = directory.entries[.referenceBlackWhite], entry.count == 6 else { return nil }
    var values: [Double] = []
    for index in 0..<6 {
      guard let value = entry.fraction(at: index, bytes, in: file), value < 256 else { return nil }
      values.append(value)
    }
    guard values[0] < values[1], values[2] < values[3], values[4] < values[5],
      values != [0, 255, 128, 255, 128, 255]
    else { return nil }
    self.values = values
  }

  /// Returns RGB of YCbCr in this range, for RGB of the same YCbCr in the range of JPEG.
  private func adjusted(_ red: Double, _ green: Double, _ blue: Double) -> [Double] {
    let luma = 0.299 * red + 0.587 * green + 0.114 * blue
    let cb = (blue - luma) / 1.772 + 128
    let cr = (red - luma) / 1.402 + 128
    let y = (luma - values[0]) * 255 / (values[1] - values[0])
    let newRed = y + 1.402 * (cr - values[4]) * 127 / (values[5] - values[4])
    let newBlue = y + 1.772 * (cb - values[2]) * 127 / (values[3] - values[2])
    return [newRed, (y - 0.299 * newRed - 0.114 * newBlue) / 0.587, newBlue]
  }

  /// Returns the picture in this range, which was decoded in the range of JPEG.
  func applied(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    let black = adjusted(0, 0, 0)
    let columns = [adjusted(1, 0, 0), adjusted(0, 1, 0), adjusted(0, 0, 1)]
    var matrix: [Float] = []
    for row in 0..<3 {
      matrix += columns.map { Float($0[row] - black[row]) } + [0, Float(black[row])]
    }
    matrix += [0, 0, 0, 1, 0]
    let level = cpx_best_level()
    return try bitmap.mapRows(to: bitmap.size, isOpaque: bitmap.isOpaque) { source, target, rows in
      let start = 4 * rows.lowerBound * bitmap.width
      cpx_color_matrix(matrix, source + start, target + start, rows.count * bitmap.width, level)
    }
  }
}
