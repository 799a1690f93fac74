import CPixels

extension Transforms {
  /// A step that rounds the corners of a picture, and draws a border inside its edges.
  ///
  /// The alpha of pixels at the edge is the part of their area inside.
  public struct RoundedCorners: ImageTransforming, Hashable, Sendable {
    /// The upper left corner.
    public var topLeft: Transforms.CornerRadius
    /// The upper right corner.
    public var topRight: Transforms.CornerRadius
    /// The lower right corner.
    public var bottomRight: Transforms.CornerRadius
    /// The lower left corner.
    public var bottomLeft: Transforms.CornerRadius
    /// The width of the border in pixels; 0 for none.
    public var borderWidth: Double
    /// The colour of the border, which is composited over the picture.
    public var borderColor: PixelColor

    /// Creates the step with the same radius for all corners.
    public init(_ radius: Transforms.CornerRadius, borderWidth: Double = 0, borderColor: PixelColor = .black)
    {
      self.init(
        topLeft: radius, topRight: radius, bottomRight: radius, bottomLeft: radius, borderWidth: borderWidth,
        borderColor: borderColor)
    }

    /// Creates the step with a radius for each corner.
    ///
    /// Radii that would overlap are all shrunk by the same factor: CSS Backgrounds and Borders 3, section 5.5.
    public init(
      topLeft: Transforms.CornerRadius = 0, topRight: Transforms.CornerRadius = 0,
      bottomRight: Transforms.CornerRadius = 0,
      bottomLeft: Transforms.CornerRadius = 0, borderWidth: Double = 0, borderColor: PixelColor = .black
    ) {
      self.topLeft = topLeft
      self.topRight = topRight
      self.bottomRight = bottomRight
      self.bottomLeft = bottomLeft
      self.borderWidth = borderWidth
      self.borderColor = borderColor
    }

    /// Parses `12`, `25%`, or `topLeft=1,topRight=2,bottomRight=3,bottomLeft=4` with 0 for omitted corners; then
    /// `border=2,color=ffffff`.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      let what = "pixels such as 12, or percent such as 25%"
      let all = try arguments.value("radius", what) { Transforms.CornerRadius($0) }
      var isGiven = all != nil
      func corner(_ key: String) throws(ImagingError) -> Transforms.CornerRadius {
        let radius = try arguments.named(key, what) { Transforms.CornerRadius($0) }
        isGiven = isGiven || radius != nil
        return radius ?? all ?? 0
      }
      topLeft = try corner("topLeft")
      topRight = try corner("topRight")
      bottomRight = try corner("bottomRight")
      bottomLeft = try corner("bottomLeft")
      if !isGiven { throw arguments.error("radius is missing") }
      borderWidth = try arguments.number("border") ?? 0
      borderColor = try arguments.color("color") ?? .black
      try arguments.finish()
      try check()
    }

    /// `round:12`, `round:25%,border=2,color=ffffff`, `round:topLeft=1,topRight=2,bottomRight=3,bottomLeft=4`.
    public var identity: String {
      let isEven = radii.allSatisfy { $0 == topLeft }
      let corners =
        isEven
        ? "\(topLeft)"
        : "topLeft=\(topLeft),topRight=\(topRight),bottomRight=\(bottomRight),bottomLeft=\(bottomLeft)"
      return "round:\(corners)" + Self.spelling(border: borderWidth, borderColor)
    }

    /// Returns `,border=2,color=ffffff`, without parameters that have their defaults.
    static func spelling(border: Double, _ color: PixelColor) -> String {
      (border == 0 ? "" : ",border=\(border.spelling)") + (color == .black ? "" : ",color=\(color.hex)")
    }

    /// Returns the picture with rounded corners; the picture itself if there is neither a radius nor a border.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a radius or border that is negative or not finite,
    ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      let radii = radii(in: bitmap.size)
      let isSquare = radii.allSatisfy { $0 == 0 }
      if isSquare, borderWidth == 0 { return bitmap }
      var rounding = cpx_rounding()
      rounding.width = bitmap.width
      rounding.border = (borderColor.red, borderColor.green, borderColor.blue, borderColor.alpha)
      rounding.outer = Self.shape(bitmap.size, radii: radii, inset: 0)
      rounding.inner = Self.shape(bitmap.size, radii: radii, inset: borderWidth)
      let isOpaque = isSquare && bitmap.isOpaque
      return try bitmap.mapRows(to: bitmap.size, costPerPixel: 20, isOpaque: isOpaque) {
        source, target, rows in
        var rounding = rounding
        rounding.source = source
        rounding.target = target
        cpx_round_rows(&rounding, rows.lowerBound, rows.upperBound)
      }
    }

    /// Clockwise from the upper left.
    private var radii: [Transforms.CornerRadius] { [topLeft, topRight, bottomRight, bottomLeft] }

    /// The radii in pixels, none overlapping another.
    func radii(in size: PixelSize) -> [Double] {
      let radii = radii.map { $0.pixels(in: size) }
      let sides = [size.width, size.height, size.width, size.height].map { Double($0) }
      var factor = 1.0
      for side in 0..<4 {
        let sum = radii[side] + radii[(side + 1) % 4]
        if sum > sides[side] { factor = min(factor, sides[side] / sum) }
      }
      return radii.map { $0 * factor }
    }

    /// Returns the picture's outline, or its part inside a border of the width `inset`.
    private static func shape(_ size: PixelSize, radii: [Double], inset: Double) -> cpx_rounded {
      let inner = radii.map { max(0, $0 - inset) }
      return cpx_rounded(
        left: inset, top: inset, right: Double(size.width) - inset, bottom: Double(size.height) - inset,
        radii: (inner[0], inner[1], inner[2], inner[3]))
    }

    private func check() throws(ImagingError) {
      for radius in radii {
        guard radius.number >= 0, radius.number.isFinite else {
          throw .invalidParameter(
            name: "round", reason: "a radius is 0 or more pixels or percent, not \(radius)")
        }
      }
      guard borderWidth >= 0, borderWidth.isFinite else {
        throw .invalidParameter(name: "round", reason: "border is 0 or more pixels, not \(borderWidth)")
      }
    }
  }
}

extension ImageTransform {
  /// Rounds the corners of the picture off, and draws a border inside its edges.
  public static func roundedCorners(
    _ radius: Transforms.CornerRadius, borderWidth: Double = 0, borderColor: PixelColor = .black
  ) -> ImageTransform {
    ImageTransform(Transforms.RoundedCorners(radius, borderWidth: borderWidth, borderColor: borderColor))
  }

  /// Rounds each corner of the picture off by its own radius, and draws a border inside its edges.
  public static func roundedCorners(
    topLeft: Transforms.CornerRadius = 0, topRight: Transforms.CornerRadius = 0,
    bottomRight: Transforms.CornerRadius = 0,
    bottomLeft: Transforms.CornerRadius = 0, borderWidth: Double = 0, borderColor: PixelColor = .black
  ) -> ImageTransform {
    ImageTransform(
      Transforms.RoundedCorners(
        topLeft: topLeft, topRight: topRight, bottomRight: bottomRight, bottomLeft: bottomLeft,
        borderWidth: borderWidth, borderColor: borderColor))
  }
}
