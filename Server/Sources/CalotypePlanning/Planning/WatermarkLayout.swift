import CalotypeImaging
import CalotypeURLs

/// The size and the place of a watermark on a picture.
struct WatermarkLayout {
  /// The size of the watermark before it is rotated.
  let size: PixelSize
  private let stage: ProcessingStage
  private let mark: ProcessingStage.Watermark
  private let watermark: WatermarkImage
  private let picture: PixelSize
  private let dpr: Double

  init(
    _ stage: ProcessingStage, _ mark: ProcessingStage.Watermark, _ watermark: WatermarkImage,
    on picture: PixelSize, dpr: Double
  ) {
    (self.stage, self.mark, self.watermark) = (stage, mark, watermark)
    (self.picture, self.dpr) = (picture, dpr)
    // It is fitted into a share of the picture, or into a box of pixels, and enlarged for it.
    var fitting = ProcessingStage()
    fitting.enlarges = true
    if let scale = mark.scale, scale > 0 {
      fitting.width = max(1, Rounding.scaledToEven(picture.width, by: scale))
      fitting.height = max(1, Rounding.scaledToEven(picture.height, by: scale))
    } else if let box = stage.watermarkSize {
      fitting.width = box.width
      fitting.height = box.height
    }
    size = StageGeometry(fitting, of: watermark.size, isVector: false, maxSide: 0).scaled
  }

  private var degrees: Double {
    let turned = (stage.watermarkRotation ?? 0).limited(to: -1e9...1e9, orIfNaN: 0)
      .truncatingRemainder(dividingBy: 360)
    return turned < 0 ? turned + 360 : turned
  }

  /// The size of the watermark after its rotation.
  private var turnedSize: PixelSize { RotatedBounds.size(of: size, degrees: degrees) }

  func operation(opacity: Double) -> WatermarkOperation {
    WatermarkOperation(
      id: watermark.id, size: size, degrees: degrees, shadow: max(0, stage.watermarkShadow ?? 0),
      opacity: opacity, placement: placement)
  }

  private var placement: WatermarkOperation.Placement {
    switch mark.position ?? .compass(.center) {
    case .compass(let compass):
      let rule = GravityPlacement(of: turnedSize, in: picture, dpr: dpr, mayOverhang: true)
      return .single(rule.origin(for: .compass(compass, x: mark.x, y: mark.y)))
    case .tiled:
      let (x, y) = (tiling(\.width, mark.x), tiling(\.height, mark.y))
      return .tiled(
        origin: PixelPoint(x: x.origin, y: y.origin), period: PixelSize(width: x.period, height: y.period))
    case .chessboard:
      let (x, y) = (tiling(\.width, mark.x), tiling(\.height, mark.y))
      return .chessboard(
        origin: PixelPoint(x: x.origin, y: y.origin), period: PixelSize(width: x.period, height: y.period))
    }
  }

  /// Returns the distance of copies along an axis, and the position of one of them: an odd number of copies, each with half
  /// of the gap on both sides, is centred on the picture.
  private func tiling(_ side: KeyPath<PixelSize, Int>, _ offset: Double?) -> (origin: Int, period: Int) {
    let (whole, tile, offset) = (picture[keyPath: side], turnedSize[keyPath: side], offset ?? 0)
    var gap = abs(offset) >= 1 ? Rounding.even(offset * dpr) : Rounding.scaledToEven(whole, by: offset)
    // One copy is visible then. A wider gap of the same parity leaves it where it is, and takes memory.
    if gap > whole { gap = whole + (gap - whole) % 2 }
    let period = max(1, tile + gap)
    var count = (whole + period - 1) / period
    if count % 2 == 0 { count += 1 }
    return ((whole - count * period) / 2 + gap / 2, period)
  }
}
