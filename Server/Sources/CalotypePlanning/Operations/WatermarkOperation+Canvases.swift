import CalotypeImaging

extension WatermarkOperation {
  /// The room that the shadow takes at each side of the watermark.
  var margin: Int {
    shadow > 0 ? Transforms.Shadow(sigma: shadow.limited(to: 0...1000, orIfNaN: 0)).margin : 0
  }

  /// The sizes of the pictures that are made of the watermark before its composition: resampled, rotated with its shadow, and
  /// with the gaps between tiles.
  var canvases: [PixelSize] {
    let turned = RotatedBounds.size(of: size, degrees: degrees)
    let shaded = PixelSize(width: turned.width + 2 * margin, height: turned.height + 2 * margin)
    switch placement {
    case .single: return [size, shaded]
    case .tiled(_, let period): return [size, shaded, period]
    case .chessboard(_, let period):
      return [size, shaded, period, PixelSize(width: 2 * period.width, height: 2 * period.height)]
    }
  }
}
