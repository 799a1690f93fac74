import CPixels

extension Transforms {
  /// A colour over a picture that grows from invisible to its opacity along a direction.
  public struct Gradient: ImageTransforming, Hashable, Sendable {
    /// The colour; its alpha multiplies ``opacity``.
    public var color: PixelColor
    /// The opacity at the end: 0 is invisible, 1 covers the picture.
    public var opacity: Double
    /// The direction, the start and the stop.
    public var ramp: Ramp

    /// Creates the step.
    public init(color: PixelColor = .black, opacity: Double = 1, ramp: Ramp = Ramp()) {
      self.color = color
      self.opacity = opacity
      self.ramp = ramp
    }

    /// Parses `ff8000,opacity=0.5,degrees=90,start=0.2,stop=0.8`; only the colour is required.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      color = try arguments.required(arguments.color("color"), "color")
      opacity = try arguments.number("opacity") ?? 1
      ramp = try Ramp(&arguments)
      try arguments.finish()
      try check()
    }

    /// `gradient:000000,opacity=0.5,degrees=90`, without parameters that have their defaults.
    public var identity: String {
      "gradient:\(color.hex)" + (opacity == 1 ? "" : ",opacity=\(opacity.spelling)") + ramp.suffix
    }

    /// Returns the picture with the colour over it: source-over of Porter and Duff 1984, exact except for rounding to 8
    /// bits; alpha has steps of 1/4096 of a level. Returns the picture itself if the colour is invisible.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an opacity or a ramp out of range;
    ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      let alpha = UInt32((opacity * Double(color.alpha) * 4096).rounded())
      if alpha == 0 { return bitmap }
      var gradient = cpx_gradient()
      gradient.width = bitmap.width
      gradient.ramp = ramp.line(in: bitmap.size)
      gradient.color = (color.red, color.green, color.blue, color.alpha)
      gradient.alpha = alpha
      gradient.opaque = bitmap.isOpaque ? 1 : 0
      return try bitmap.mapRows(to: bitmap.size, costPerPixel: 4, isOpaque: bitmap.isOpaque) {
        source, target, rows in
        var gradient = gradient
        gradient.source = source
        gradient.target = target
        cpx_gradient_rows(&gradient, rows.lowerBound, rows.upperBound)
      }
    }

    private func check() throws(ImagingError) {
      try opacity.require(in: 0...1, "opacity", of: "gradient")
      try ramp.check("gradient")
    }
  }
}

extension ImageTransform {
  /// Lays a colour over the picture that grows along a direction, in degrees clockwise from downwards.
  public static func gradient(
    _ color: PixelColor = .black, opacity: Double = 1, degrees: Double = 0, start: Double = 0,
    stop: Double = 1
  ) -> ImageTransform {
    ImageTransform(
      Transforms.Gradient(
        color: color, opacity: opacity,
        ramp: Transforms.Ramp(degrees: degrees, start: start, stop: stop)))
  }
}
