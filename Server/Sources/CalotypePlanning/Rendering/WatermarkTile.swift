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
      var (tile, margin) = (try prepared(), mark.margin)
      // The name stands for the pixels in identities.
      var name = mark.id
      if mark.degrees != 0 { name += "_r\(Rounding.away(mark.degrees * 1000))" }
      if mark.shadow > 0 { name += "_s\(Rounding.away(mark.shadow * 1000))" }
      switch mark.placement {
      case .single(let point):
        return .overlay(
          tile, id: name, anchor: .topLeft, x: point.x - margin, y: point.y - margin, opacity: mark.opacity)
      case .tiled(let origin, let period):
        let lead = lead(of: tile, margin, in: period)
        tile = try spaced(tile, period, margin, lead)
        return .overlay(
          tile, id: name, anchor: .topLeft, x: origin.x - lead.x, y: origin.y - lead.y, opacity: mark.opacity,
          tileGap: 0)
      case .chessboard(let origin, let period):
        let lead = lead(of: tile, margin, in: period)
        tile = try doubled(try spaced(tile, period, margin, lead))
        return .overlay(
          tile, id: name + "_c", anchor: .topLeft, x: origin.x - lead.x, y: origin.y - lead.y,
          opacity: mark.opacity, tileGap: 0)
      }
    } catch {
      throw .watermark(error.description)
    }
  }

  /// Returns the watermark with its shadow.
  private func prepared() throws(ImagingError) -> Bitmap {
    var steps: [ImageTransform] = []
    if pixels.size != mark.size {
      steps.append(
        .resize(width: mark.size.width, height: mark.size.height, mode: .stretch, enlarges: true))
    }
    if mark.degrees != 0 { steps.append(.rotate(degrees: 360 - mark.degrees)) }
    if mark.shadow > 0 {
      steps.append(ImageTransform(Transforms.Shadow(sigma: mark.shadow.limited(to: 0...1000, orIfNaN: 0))))
    }
    return try TransformChain(steps).apply(to: pixels)
  }

  /// Returns the part of the gap between tiles that lies before each: half of it, for as much of a shadow as there is.
  private func lead(of tile: Bitmap, _ margin: Int, in period: PixelSize) -> PixelPoint {
    func half(_ side: KeyPath<PixelSize, Int>) -> Int {
      min(margin, max(0, (period[keyPath: side] - tile.size[keyPath: side] + 2 * margin) / 2))
    }
    return PixelPoint(x: half(\.width), y: half(\.height))
  }

  /// Returns a tile with the size of the period, cut or padded at all sides. Parts of a shadow outside are cut off.
  private func spaced(
    _ tile: Bitmap, _ period: PixelSize, _ margin: Int, _ lead: PixelPoint
  ) throws(ImagingError) -> Bitmap {
    let canvas = CanvasOperation(size: period, origin: PixelPoint(x: lead.x - margin, y: lead.y - margin))
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
