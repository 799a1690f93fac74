extension Transforms {
  /// A blurred silhouette of a picture beneath it. The picture grows by ``margin`` at each side, so that all of the
  /// shadow has room.
  public struct Shadow: ImageTransforming, Hashable, Sendable {
    /// The standard deviation of the blur in pixels, from 0 to 1000.
    public var sigma: Double
    /// The colour; its alpha is the strength.
    public var color: PixelColor

    /// Creates the step.
    public init(sigma: Double, color: PixelColor = .black) {
      self.sigma = sigma
      self.color = color
    }

    /// Parses `4,color=00000080`; only the deviation is required.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      sigma = try arguments.required(arguments.number("sigma"), "sigma")
      color = try arguments.color("color") ?? .black
      try arguments.finish()
      try check()
    }

    /// `shadow:4,color=000000`.
    public var identity: String { "shadow:\(sigma.spelling),color=\(color.hex)" }

    /// The rows and columns that the picture gains at each side: three deviations, rounded up. Beyond, a shadow has less
    /// than half a level.
    public var margin: Int { Int((3 * max(0, min(sigma, 1000))).rounded(.up)) }

    /// Returns the picture over its shadow.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a ``sigma`` out of its range, and for a result of
    ///   more than 400 million pixels; the errors of ``Transforms/GaussianBlur``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      let room = margin
      let padded = try Pad(top: room, left: room, bottom: room, right: room, fill: .color(.clear))
        .apply(to: bitmap)
      let silhouette = try Tint(color, mode: .sourceIn).apply(to: padded)
      return try Overlay(bitmap, id: "picture", anchor: .topLeft, x: room, y: room).apply(
        to: GaussianBlur(sigma: sigma).apply(to: silhouette))
    }

    private func check() throws(ImagingError) { try sigma.require(in: 0...1000, "sigma", of: "shadow") }
  }
}

extension ImageTransform {
  /// Puts a blurred silhouette beneath the picture, which grows by three deviations at each side.
  public static func shadow(sigma: Double, color: PixelColor = .black) -> ImageTransform {
    ImageTransform(Transforms.Shadow(sigma: sigma, color: color))
  }
}
