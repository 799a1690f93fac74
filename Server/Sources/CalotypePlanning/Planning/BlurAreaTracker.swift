import CalotypeImaging
import CalotypeURLs

/// The rectangles of `blur_areas` on their way through crop, scale and rotation.
///
/// The option names shares of the source, and the blur takes place at the size of the result. A crop that depends on pixels
/// moves them to an unknown place: they are blurred before it then.
struct BlurAreaTracker {
  private var areas: [(left: Double, top: Double, right: Double, bottom: Double)] = []
  private let sigma: Double
  private var picture: PixelSize

  init(_ option: ProcessingStage.BlurAreas?, in picture: PixelSize) {
    sigma = option?.sigma ?? 0
    self.picture = picture
    guard let option, sigma > 0 else { return }
    let (width, height) = (Double(picture.width), Double(picture.height))
    areas = option.areas.map {
      ($0.left * width, $0.top * height, ($0.left + $0.width) * width, ($0.top + $0.height) * height)
    }
  }

  /// Follows a crop.
  mutating func crop(_ operation: PixelOperation) {
    switch operation {
    case .crop(let region):
      let (x, y) = (Double(region.origin.x), Double(region.origin.y))
      areas = areas.map { ($0.left - x, $0.top - y, $0.right - x, $0.bottom - y) }
      picture = region.size
    case .smartCrop(let size):
      areas = []
      picture = size
    default: break
    }
  }

  /// Follows a resampling, or a drawing at another size.
  mutating func scale(from source: PixelSize, to size: PixelSize) {
    let x = Double(size.width) / Double(source.width)
    let y = Double(size.height) / Double(source.height)
    areas = areas.map { ($0.left * x, $0.top * y, $0.right * x, $0.bottom * y) }
    picture = size
  }

  /// Follows a rotation and reflections.
  mutating func turn(_ turn: Turn, in size: PixelSize) {
    picture = size
    areas = areas.map { area in
      var (area, width, height) = (area, Double(picture.width), Double(picture.height))
      for _ in 0..<turn.quarters {
        area = (height - area.bottom, area.left, height - area.top, area.right)
        (width, height) = (height, width)
      }
      if turn.flipsHorizontally { (area.left, area.right) = (width - area.right, width - area.left) }
      if turn.flipsVertically { (area.top, area.bottom) = (height - area.bottom, height - area.top) }
      return area
    }
    picture = turn.apply(to: size)
  }

  /// Takes the rectangles as an operation; `nil` if nothing of them lies in the picture.
  ///
  /// - Parameter scale: The factor by which the picture is going to be scaled.
  mutating func operation(scaledBy scale: Double) -> PixelOperation? {
    let regions = areas.compactMap { area -> PixelRegion? in
      let left = max(0, Rounding.away(area.left))
      let top = max(0, Rounding.away(area.top))
      let region = PixelRegion(
        x: left, y: top, width: min(picture.width, Rounding.away(area.right)) - left,
        height: min(picture.height, Rounding.away(area.bottom)) - top)
      return region.lies(in: picture) ? region : nil
    }
    areas = []
    return regions.isEmpty ? nil : .blurAreas(regions, sigma: min(sigma / scale, 1000))
  }
}
