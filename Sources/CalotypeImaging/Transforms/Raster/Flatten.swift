import CPixels

extension Transforms {
  /// A composition of a picture over a colour, which is visible where the picture is transparent. The result is opaque
  /// if the colour is.
  public struct Flatten: ImageTransforming, Hashable, Sendable {
    /// The colour; its alpha is that of the result where the picture is transparent.
    public var background: PixelColor

    /// Creates the step.
    public init(background: PixelColor = .white) { self.background = background }

    /// Parses the colour; white by default.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      background = try arguments.color("background") ?? .white
      try arguments.finish()
    }

    /// `flatten:ffffff`, `flatten:ffffff80`.
    public var identity: String { "flatten:\(background.hex)" }

    /// Returns the picture over the colour, rounded to nearest; the picture itself if it is known to be opaque, or if the
    /// colour is transparent.
    ///
    /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      let bitmap = try bitmap.converted(to: .rgba8)
      if bitmap.isOpaque || background.alpha == 0 { return bitmap }
      let color = [background.red, background.green, background.blue, background.alpha]
      let width = bitmap.width
      let isOpaque = background.alpha == 255
      return try bitmap.mapRows(to: bitmap.size, costPerPixel: isOpaque ? 1 : 6, isOpaque: isOpaque) {
        source, target, rows in
        let first = 4 * rows.lowerBound * width
        let count = rows.count * width
        if isOpaque {
          cpx_flatten(source + first, target + first, count, color)
        } else {
          cpx_flatten_translucent(source + first, target + first, count, color)
        }
      }
    }
  }
}

extension ImageTransform {
  /// Composites the picture over a colour, which may be translucent.
  public static func flatten(background: PixelColor = .white) -> ImageTransform {
    ImageTransform(Transforms.Flatten(background: background))
  }
}
