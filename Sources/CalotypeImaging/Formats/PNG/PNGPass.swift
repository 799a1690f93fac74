/// One pass over an image (8.2): every `dx`-th pixel of every `dy`-th row, from `x`, `y` on.
struct PNGPass: Hashable, Sendable {
  let x: Int
  let y: Int
  let dx: Int
  let dy: Int
  /// The pixels per row and the rows of the pass, both at least 1.
  let size: PixelSize
  /// The block, to the right and below, that a pixel represents until later passes refine it.
  let block: PixelSize

  /// Returns the passes of an image that have pixels, in order: one, or up to seven with Adam7 interlacing.
  static func all(of header: PNGHeader) -> [PNGPass] {
    guard header.isInterlaced else {
      let pixel = PixelSize(width: 1, height: 1)
      return [PNGPass(x: 0, y: 0, dx: 1, dy: 1, size: header.size, block: pixel)]
    }
    let grid = [
      (0, 0, 8, 8, 8, 8), (4, 0, 8, 8, 4, 8), (0, 4, 4, 8, 4, 4), (2, 0, 4, 4, 2, 4), (0, 2, 2, 4, 2, 2),
      (1, 0, 2, 2, 1, 2), (0, 1, 1, 2, 1, 1),
    ]
    return grid.compactMap { x, y, dx, dy, blockWidth, blockHeight in
      guard header.size.width > x, header.size.height > y else { return nil }
      let size = PixelSize(
        width: (header.size.width - x + dx - 1) / dx, height: (header.size.height - y + dy - 1) / dy)
      return PNGPass(
        x: x, y: y, dx: dx, dy: dy, size: size, block: PixelSize(width: blockWidth, height: blockHeight))
    }
  }
}

extension PNGHeader {
  /// Bits of a stored pixel.
  var bitsPerPixel: Int {
    let channels =
      switch colorType {
      case .gray, .indexed: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgba: 4
      }
    return channels * Int(bitDepth)
  }

  /// Returns the bytes of a row of a pass, without the filter type before it.
  func rowBytes(width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }

  /// Returns the bytes that the image data of the given passes inflates to.
  ///
  /// - Throws: `outOfMemory` if the number overflows.
  func inflatedBytes(_ passes: [PNGPass]) throws(ImagingError) -> Int {
    var total = 0
    for pass in passes {
      let (bytes, overflow) = pass.size.height.multipliedReportingOverflow(
        by: rowBytes(width: pass.size.width) + 1)
      let (sum, excess) = total.addingReportingOverflow(bytes)
      guard !overflow, !excess else { throw .outOfMemory(byteCount: .max) }
      total = sum
    }
    return total
  }
}
