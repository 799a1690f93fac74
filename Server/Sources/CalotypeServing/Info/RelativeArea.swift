import CalotypeImaging
import CalotypePlanning

/// A part of a picture in shares of its sides.
struct RelativeArea: Hashable, Sendable {
  var left = 0.0
  var top = 0.0
  var width = 1.0
  var height = 1.0

  /// The whole picture.
  init() {}

  /// The shares of a rectangle.
  init(_ region: PixelRegion, in picture: PixelSize) {
    left = Double(region.origin.x) / Double(picture.width)
    top = Double(region.origin.y) / Double(picture.height)
    width = Double(region.size.width) / Double(picture.width)
    height = Double(region.size.height) / Double(picture.height)
  }

  /// Returns an area of this size where it attracts the eye.
  func placed(in bitmap: Bitmap) throws(ImagingError) -> RelativeArea {
    func pixels(_ share: Double, of side: Int) -> Int {
      min(side, max(1, Int((share * Double(side)).rounded())))
    }
    let box = PixelSize(width: pixels(width, of: bitmap.width), height: pixels(height, of: bitmap.height))
    let crop = Transforms.Crop(.box(width: box.width, height: box.height, anchor: .attention))
    guard let found = try crop.resolved(for: bitmap).first as? Transforms.Crop,
      case .pixels(let x, let y, _, _) = found.area
    else { return self }
    var area = self
    // The box was rounded to pixels of a small picture.
    area.left = min(max(0, Double(x) / Double(bitmap.width)), 1 - width)
    area.top = min(max(0, Double(y) / Double(bitmap.height)), 1 - height)
    return area
  }
}
