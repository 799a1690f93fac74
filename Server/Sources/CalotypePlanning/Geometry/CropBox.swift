import CalotypeImaging
import CalotypeURLs

/// The box that `crop` and `crop_aspect_ratio` ask for.
enum CropBox {
  /// Returns the sides of the box in a picture, each at most its side; `nil` if nothing is cropped.
  static func size(_ stage: ProcessingStage, of source: PixelSize) -> PixelSize? {
    var width = side(stage.crop?.width ?? 0, of: source.width)
    var height = side(stage.crop?.height ?? 0, of: source.height)
    if let correction = stage.cropAspectRatio, correction.ratio > 0, correction.ratio.isFinite {
      (width, height) = corrected(width, height, of: source, correction)
    }
    return width == source.width && height == source.height ? nil : PixelSize(width: width, height: height)
  }

  /// Returns a side: pixels from 1 without their fraction, a share of the picture's side below, all of it for 0.
  private static func side(_ wanted: Double, of source: Int) -> Int {
    if wanted == 0 { return source }
    let pixels = wanted >= 1 ? Rounding.down(wanted) : max(1, Rounding.scaled(source, by: wanted))
    return min(source, pixels)
  }

  /// Returns the box with other proportions: one side shrinks, or grows and then both are fitted into the picture.
  private static func corrected(
    _ width: Int, _ height: Int, of source: PixelSize, _ correction: ProcessingStage.CropAspectRatio
  ) -> (Int, Int) {
    let ratio = correction.ratio
    let isWider = Double(width) > Double(height) * ratio
    var (newWidth, newHeight) = (Double(width), Double(height))
    if isWider != (correction.enlarges ?? false) {
      newWidth = newHeight * ratio
    } else {
      newHeight = newWidth / ratio
    }
    let excess = max(1, newWidth / Double(source.width), newHeight / Double(source.height))
    return (
      min(source.width, max(1, Rounding.away(newWidth / excess))),
      min(source.height, max(1, Rounding.away(newHeight / excess)))
    )
  }
}
