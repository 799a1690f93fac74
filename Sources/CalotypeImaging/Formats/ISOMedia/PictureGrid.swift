/// The layout of a picture made of tiles (ISO/IEC 23008-12, 6.6.2.3).
package struct PictureGrid: Hashable, Sendable {
  /// The length of the data with 16-bit sides.
  static let shortLength = 8
  /// The length of the data with 32-bit sides.
  static let longLength = 12

  package let rows: Int
  package let columns: Int
  /// The size of the picture, which the tiles cover.
  package let size: PixelSize

  /// The number of tiles.
  package var tileCount: Int { rows * columns }

  /// Reads the data of a `grid` item; `nil` if they are too short.
  package init?(_ data: [UInt8]) {
    let bytes = data.span.bytes
    guard bytes.byte(at: 0) == 0, let flags = bytes.byte(at: 1), let rows = bytes.byte(at: 2),
      let columns = bytes.byte(at: 3)
    else { return nil }
    (self.rows, self.columns) = (Int(rows) + 1, Int(columns) + 1)
    if flags & 1 == 0 {
      guard let width = bytes.uint16(at: 4, bigEndian: true),
        let height = bytes.uint16(at: 6, bigEndian: true)
      else { return nil }
      size = PixelSize(width: Int(width), height: Int(height))
    } else {
      guard let width = bytes.uint32(at: 4, bigEndian: true),
        let height = bytes.uint32(at: 8, bigEndian: true)
      else { return nil }
      size = PixelSize(width: Int(width), height: Int(height))
    }
  }

  /// Returns whether tiles of this size cover the picture, and no row or column of them is superfluous.
  package func isCovered(by tile: PixelSize) -> Bool {
    func covers(_ count: Int, _ tile: Int, _ side: Int) -> Bool {
      tile > 0 && count * tile >= side && (count - 1) * tile < side
    }
    return covers(columns, tile.width, size.width) && covers(rows, tile.height, size.height)
  }
}
