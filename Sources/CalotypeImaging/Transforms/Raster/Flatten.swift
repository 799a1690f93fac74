import CPixels

extension Transforms {
  /// A composition of a picture over a colour, which is visible where the picture is transparent. The result is opaque.
  public struct Flatten: ImageTransforming, Hashable, Sendable {
    /// The colour; opaque.
    public var background: PixelColor

    /// Creates the step.
    public init(background: PixelColor = .white) { self.background = background }

    /// Parses the colour; white by default.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      background = try arguments.color("background") ?? .white
      try arguments.finish()
      try check()
    }

    /// `flatten:ffffff`.
    public var identity: String { "flatten:\(background.hex)" }

    /// Returns the picture over the colour; the picture itself if it is known to be opaque.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a colour that is not opaque,
    ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      if bitmap.isOpaque { return bitmap }
      let color = [background.red, background.green, background.blue, background.alpha]
      let width = bitmap.width
      return try bitmap.mapRows(to: bitmap.size, isOpaque: true) { source, target, rows in
        let first = 4 * rows.lowerBound * width
        cpx_flatten(source + first, target + first, rows.count * width, color)
      }
    }

    private func check() throws(ImagingError) {
      guard background.alpha == 255 else {
        throw .invalidParameter(
          name: "flatten", reason: "the background is opaque, such as ffffff, not \(background.hex)")
      }
    }
  }
}

extension ImageTransform {
  /// Composites the picture over a colour.
  public static func flatten(background: PixelColor = .white) -> ImageTransform {
    ImageTransform(Transforms.Flatten(background: background))
  }
}
