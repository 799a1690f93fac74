/// The strips or tiles of a directory: their sizes, and their order.
struct TIFFGeometry: Sendable {
  /// The size of the picture.
  let size: PixelSize
  /// The size of a whole strip or tile.
  let piece: PixelSize
  let isTiled: Bool
  /// The number of tiles side by side; 1 for strips.
  let across: Int
  /// The number of strips, or of rows of tiles.
  let down: Int
  /// The number of planes: 1 if the samples of a pixel are together.
  let planes: Int
  /// Bytes of a row of a decoded strip or tile, of one plane.
  let rowByteCount: Int

  /// - Parameters:
  ///   - directory: A directory whose size is within the limits.
  ///   - isPlanar: Pass true if each sample has pieces of its own.
  ///   - bitsPerPixel: The bits of a decoded pixel, of one plane.
  init(_ directory: TIFFDirectory, isPlanar: Bool, bitsPerPixel: Int) {
    size = directory.size
    planes = isPlanar ? directory.samplesPerPixel : 1
    switch directory.layout {
    case .strips(let rows):
      piece = PixelSize(width: size.width, height: rows)
      (isTiled, across) = (false, 1)
    case .tiles(let tile):
      piece = tile
      (isTiled, across) = (true, (size.width - 1) / tile.width + 1)
    }
    down = (size.height - 1) / piece.height + 1
    let (bits, overflow) = piece.width.multipliedReportingOverflow(by: bitsPerPixel)
    rowByteCount = overflow ? .max : bits / 8 + (bits % 8 > 0 ? 1 : 0)
  }

  /// Bytes of a decoded strip or tile, of one plane.
  var pieceByteCount: Int { Self.product(rowByteCount, piece.height) }

  /// Bytes of all decoded pieces that have rows in common.
  var bandByteCount: Int { Self.product(pieceByteCount, Self.product(across, planes)) }

  /// Returns the number of a piece.
  func index(band: Int, column: Int, plane: Int) -> Int { (plane * down + band) * across + column }

  /// The number of pieces of all planes; at most as many as the directory has.
  var pieceCount: Int { down * across * planes }

  /// Returns the product, or the largest number if it is larger.
  static func product(_ a: Int, _ b: Int) -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? .max : product
  }
}
