import CalotypeImaging

/// The tiles of a mosaic: squares, or bands where the picture is narrower than a square.
struct MosaicGrid {
  /// The size of a tile.
  let tile: PixelSize
  /// The tiles in each direction.
  let count: PixelSize
  /// The size of all tiles together, at least that of the picture, and less than twice as much in each direction.
  let whole: PixelSize

  /// Lays squares over a picture.
  init(side: Int, over picture: PixelSize) {
    tile = PixelSize(
      width: max(1, min(side, picture.width)), height: max(1, min(side, picture.height)))
    count = PixelSize(
      width: (picture.width - 1) / tile.width + 1, height: (picture.height - 1) / tile.height + 1)
    whole = PixelSize(width: count.width * tile.width, height: count.height * tile.height)
  }
}
