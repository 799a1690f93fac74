extension Transforms {
  /// A crop to the largest centred circle, with a border inside its edge.
  public struct Circle: ImageTransforming, Hashable, Sendable {
    /// The width of the border in pixels; 0 for none.
    public var borderWidth: Double
    /// The colour of the border, which is composited over the picture.
    public var borderColor: PixelColor

    /// Creates the step.
    public init(borderWidth: Double = 0, borderColor: PixelColor = .black) {
      self.borderWidth = borderWidth
      self.borderColor = borderColor
    }

    /// Parses `border=2,color=ffffff`, both optional.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      borderWidth = try arguments.number("border") ?? 0
      borderColor = try arguments.color("color") ?? .black
      try arguments.finish()
      try check()
    }

    /// `circle`, `circle:border=2,color=ffffff`.
    public var identity: String {
      let border = RoundedCorners.spelling(border: borderWidth, borderColor).dropFirst()
      return border.isEmpty ? "circle" : "circle:\(border)"
    }

    /// Returns a square with the picture's shorter side, transparent outside the circle that touches its edges.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a border that is negative or not finite,
    ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let side = min(bitmap.width, bitmap.height)
      let square = try Crop(.box(width: side, height: side)).apply(to: bitmap)
      return try RoundedCorners(.percent(50), borderWidth: borderWidth, borderColor: borderColor).apply(
        to: square)
    }

    private func check() throws(ImagingError) {
      guard borderWidth >= 0, borderWidth.isFinite else {
        throw .invalidParameter(name: "circle", reason: "border is 0 or more pixels, not \(borderWidth)")
      }
    }
  }
}

extension ImageTransform {
  /// Crops the picture to the largest centred circle.
  public static func circle(borderWidth: Double = 0, borderColor: PixelColor = .black) -> ImageTransform {
    ImageTransform(Transforms.Circle(borderWidth: borderWidth, borderColor: borderColor))
  }
}
