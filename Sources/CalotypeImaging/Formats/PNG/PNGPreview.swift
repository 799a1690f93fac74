import Glibc

/// The preview of an incomplete picture.
enum PNGPreview {
  /// Returns a copy of the canvas. Pixels of an interlaced image fill the block to their right and below that later
  /// passes refine; rows that have not arrived are transparent.
  static func bitmap(of painter: PNGRowPainter) throws(ImagingError) -> Bitmap {
    let canvas = painter.canvas
    return try Bitmap(size: canvas.size, format: canvas.format) { target throws(ImagingError) in
      guard let base = target.baseAddress else { throw .outOfMemory(byteCount: target.count) }
      guard painter.header.isInterlaced else {
        let done = painter.rows * canvas.bytesPerRow
        memcpy(base, canvas.address(x: 0, y: 0), done)
        memset(base + done, 0, target.count - done)
        return false
      }
      memset(base, 0, target.count)
      switch canvas.format {
      case .gray8: fill(base, painter, as: UInt8.self)
      case .rgba16: fill(base, painter, as: UInt64.self)
      case .rgba8, .cmyk8: fill(base, painter, as: UInt32.self)
      }
      return false
    }
  }

  private static func fill<Pixel: BitwiseCopyable>(
    _ target: UnsafeMutableRawPointer, _ painter: PNGRowPainter, as type: Pixel.Type
  ) {
    let size = painter.canvas.size
    let source = painter.canvas.address(x: 0, y: 0).assumingMemoryBound(to: type)
    let target = target.assumingMemoryBound(to: type)
    for (index, pass) in painter.passes.enumerated() where index <= painter.pass {
      let rows = index < painter.pass ? pass.size.height : painter.row
      for row in 0..<rows {
        let y = pass.y + row * pass.dy
        let line = target + y * size.width
        for x in stride(from: pass.x, to: size.width, by: pass.dx) {
          let pixel = source[y * size.width + x]
          for column in x..<min(x + pass.block.width, size.width) { line[column] = pixel }
        }
        // The copy begins at the first column of the pass: pixels left of it belong to other blocks.
        let below = y + 1..<max(y + 1, min(y + pass.block.height, size.height))
        for other in below {
          copyBlocks(from: line, to: target + other * size.width, pass, width: size.width)
        }
      }
    }
  }

  /// Repeats the pixels of a row over their blocks, and leaves the others unchanged.
  private static func copyBlocks<Pixel: BitwiseCopyable>(
    from source: UnsafeMutablePointer<Pixel>, to target: UnsafeMutablePointer<Pixel>, _ pass: PNGPass,
    width: Int
  ) {
    for x in stride(from: pass.x, to: width, by: pass.dx) {
      let count = min(pass.block.width, width - x)
      (target + x).update(from: source + x, count: count)
    }
  }
}
