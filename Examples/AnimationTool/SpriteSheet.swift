import Calotype

/// The frames of an animation in rows, each frame in a cell of the same size.
struct SpriteSheet {
  let bitmap: Bitmap
  let frameSize: PixelSize
  let columns: Int
  let rows: Int

  /// Draws all frames, of which one at a time is in memory.
  ///
  /// - Throws: `ImagingError`, among others for a sheet of more pixels than an image may have.
  init(of source: AnimationSource, columns most: Int) throws(ImagingError) {
    let size = try source.frame(0).bitmap.size
    let columns = min(most, source.frameCount)
    let rows = (source.frameCount + columns - 1) / columns
    // Before a byte of it is allocated.
    let sheet = PixelSize(width: columns * size.width, height: rows * size.height)
    try DecodeLimits.default.check(size: sheet, format: .png)

    bitmap = try Bitmap(size: sheet) { target throws(ImagingError) in
      target.initializeMemory(as: UInt8.self, repeating: 0)  // cells without a frame are transparent
      var isOpaque = source.frameCount == rows * columns
      for index in 0..<source.frameCount {
        let frame = try source.frame(index).bitmap.converted(to: .rgba8)
        isOpaque = isOpaque && frame.isOpaque
        let corner = (index / columns * size.height * columns + index % columns) * size.width
        frame.withUnsafeBytes { pixels in
          for row in 0..<size.height {
            let line = UnsafeRawBufferPointer(
              rebasing: pixels[row * frame.bytesPerRow..<(row + 1) * frame.bytesPerRow])
            target[(4 * (corner + row * columns * size.width))...].copyBytes(from: line)
          }
        }
      }
      return isOpaque
    }
    (frameSize, self.columns, self.rows) = (size, columns, rows)
  }
}
