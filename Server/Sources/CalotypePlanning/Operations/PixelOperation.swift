public import CalotypeImaging
public import CalotypeURLs

/// One step of rendering, with all of its numbers. Equal operations have equal results for equal pictures.
///
/// Rectangles and sizes refer to the picture before the operation, upright as it was decoded at its full size.
public enum PixelOperation: Hashable, Sendable {
  /// Cuts off a uniform border. The size of its result is known only once it has been applied.
  case trim(TrimOperation)
  /// Cuts out a rectangle.
  case crop(PixelRegion)
  /// Cuts out the part of this size that attracts the eye.
  case smartCrop(PixelSize)
  /// Resamples the picture.
  case scale(ScaleOperation)
  /// Rotates the picture clockwise by a number of quarter turns, 1 to 3.
  case rotate(quarterTurns: Int)
  /// Exchanges left and right, or top and bottom, or both.
  case flip(horizontally: Bool, vertically: Bool)
  /// Blurs rectangles by a Gaussian of this deviation in pixels.
  case blurAreas([PixelRegion], sigma: Double)
  /// Blurs the picture by a Gaussian of this deviation in pixels.
  case blur(sigma: Double)
  /// Blurs the picture more and more along a direction; the deviation is that at the end.
  case progressiveBlur(sigma: Double, RampOperation)
  /// Sharpens the lightness of the picture, as libvips does (CIELAB, default slopes).
  case sharpen(sigma: Double)
  /// Adds to each pixel its difference from its eight neighbours: `weight / divider` of each.
  case unsharpMask(weight: Double, divider: Double)
  /// Makes a mosaic of squares with this side in pixels.
  case pixelate(side: Int)
  /// Changes brightness (−255 to 255, added), contrast and saturation (factors), in this order.
  case adjust(brightness: Int, contrast: Double, saturation: Double)
  /// Mixes the picture with one of a single tint.
  case monochrome(intensity: Double, color: RGBColor)
  /// Mixes the picture with one of two tints.
  case duotone(intensity: Double, dark: RGBColor, light: RGBColor)
  /// Lays a colour over the picture.
  case colorize(opacity: Double, color: RGBColor, keepsAlpha: Bool)
  /// Lays a transition from transparency to a colour over the picture.
  case gradient(opacity: Double, color: RGBColor, RampOperation)
  /// Puts the picture on a transparent canvas.
  case canvas(CanvasOperation)
  /// Puts a colour beneath the picture; `alpha` is its opacity, 0 to 1.
  case flatten(RGBColor, alpha: Double)
  /// Composites a watermark over the picture.
  case watermark(WatermarkOperation)
}
