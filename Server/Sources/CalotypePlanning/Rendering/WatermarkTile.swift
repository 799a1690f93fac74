import CalotypeImaging

/// The pixels of a watermark at its size, rotated, with the gaps of tiles.
struct WatermarkTile {
  private let mark: WatermarkOperation
  private let pixels: Bitmap

  init(_ mark: WatermarkOperation, pixels: Bitmap?) throws(RenderingError) {
    guard let pixels else { throw .noWatermark(id: mark.id) }
    self.mark = mark
    self.pixels = pixels
  }

  /// Returns the composition. Its position is that of the plan to the pixel.
  func overlay() throws(RenderingError) -> ImageTransform {
    do throws(ImagingError) {
      var tile = try prepared()
      // The name stands for the pixels in identities.
      var name = mark.id
      if mark.degrees != 0 { name += "_r\(Rounding.away(mark.degrees * 1000))" }
      switch mark.placement {
      case .single(let point):
        return .overlay(tile, id: name, anchor: .topLeft, x: point.x, y: point.y, opacity: mark.opacity)
      case .tiled(let origin, let period):
        tile = try spaced(tile, period)
        return .overlay(
          tile, id: name, anchor: .topLeft, x: origin.x, y: origin.y, opacity: mark.opacity, tileGap: 0)
      case .chessboard(let origin, let period):
        tile = try doubled(try spaced(tile, period))
        return .overlay(
          tile, id: name + "_c", anchor: .topLeft, x: origin.x, y: origin.y, opacity: mark.opacity, tileGap: 0
        )
      }
    } catch {
      throw .watermark(error.description)
    }
  }

  private func prepared() throws(ImagingError) -> Bitmap {
    var steps: [ImageTransform] = []
    if pixels.size != mark.size {
      steps.append(
        .resize(width: mark.size.width, height: mark.size.height, mode: .stretch, enlarges: true))
    }
    if mark.degrees != 0 { steps.append(.rotate(degrees: 360 - mark.degrees)) }
    return try TransformChain(steps).apply(to: pixels)
  }

  /// Returns a tile with the size of the period, cut or padded to the right and below.
  private func spaced(_ tile: Bitmap, _ period: PixelSize) throws(ImagingError) -> Bitmap {
    let canvas = CanvasOperation(size: period, origin: PixelPoint(x: 0, y: 0))
    return try TransformChain(canvas.transforms(of: tile.size)).apply(to: tile)
  }

  /// Returns four tiles, of which two are empty.
  private func doubled(_ tile: Bitmap) throws(ImagingError) -> Bitmap {
    try TransformChain([
      .pad(bottom: tile.height, right: tile.width),
      .overlay(tile, id: "tile", anchor: .topLeft, x: tile.width, y: tile.height),
    ]).apply(to: tile)
  }
}
