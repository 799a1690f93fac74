import CPixels

extension Transforms {
  /// An unsharp mask: adds a part of the difference between a picture and its blur.
  ///
  /// Colours change, alpha does not; transparent pixels do not contribute.
  public struct Sharpen: ImageTransforming, Hashable, Sendable {
    /// The standard deviation of the blur in pixels, from 0 (changes nothing) to 1000: the width of the sharpened
    /// edges.
    public var sigma: Double
    /// The factor of the difference, from 0 (changes nothing) to 100.
    public var amount: Double
    /// Differences below this many levels of 255 are ignored, so that noise is not sharpened; from 0 to 255.
    public var threshold: Int

    /// Creates the step.
    public init(sigma: Double = 1, amount: Double = 1, threshold: Int = 0) {
      self.sigma = sigma
      self.amount = amount
      self.threshold = threshold
    }

    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      sigma = try arguments.number("sigma") ?? 1
      amount = try arguments.number("amount") ?? 1
      threshold = try arguments.integer("threshold") ?? 0
      try arguments.finish()
      try check()
    }

    /// `sharpen:SIGMA,amount=AMOUNT,threshold=LEVELS`
    public var identity: String {
      "sharpen:\(sigma.spelling),amount=\(amount.spelling),threshold=\(threshold)"
    }

    private func check() throws(ImagingError) {
      try sigma.require(in: 0...1000, "sigma", of: "sharpen")
      try amount.require(in: 0...100, "amount", of: "sharpen")
      guard (0...255).contains(threshold) else {
        throw .invalidParameter(name: "sharpen", reason: "threshold is 0 to 255 levels, not \(threshold)")
      }
    }

    /// Returns the sharpened picture, of the same size.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters out of their ranges, and the errors of
    ///   ``Transforms/GaussianBlur``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      guard sigma > 0, amount > 0 else { return bitmap }
      let blurred = try GaussianBlur(sigma: sigma).apply(to: bitmap)
      let width = bitmap.width
      return try blurred.withUnsafeBytes { (blurred: UnsafeRawBufferPointer) throws(ImagingError) in
        guard let smooth = blurred.bindMemory(to: UInt8.self).baseAddress else { return bitmap }
        return try bitmap.mapRows(to: bitmap.size, costPerPixel: 2, isOpaque: bitmap.isOpaque) {
          source, target, rows in
          let first = 4 * rows.lowerBound * width
          cpx_sharpen(
            Float(amount), Int32(threshold), source + first, smooth + first, target + first,
            rows.count * width,
            cpx_best_level())
        }
      }
    }
  }
}

extension ImageTransform {
  /// Sharpens edges: adds `amount` times the difference between a picture and its blur.
  public static func sharpen(sigma: Double = 1, amount: Double = 1, threshold: Int = 0) -> ImageTransform {
    ImageTransform(Transforms.Sharpen(sigma: sigma, amount: amount, threshold: threshold))
  }
}
