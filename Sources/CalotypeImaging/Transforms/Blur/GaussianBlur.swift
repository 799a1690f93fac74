import CPixels

extension Transforms {
  /// A Gaussian blur: every pixel becomes the mean of its neighbours, weighted by a Gaussian of their distance.
  ///
  /// Colours are weighted by their alpha. Weights are normalised over existing pixels, so that the border of a picture
  /// does not get darker.
  public struct GaussianBlur: ImageTransforming, NumberTransforming, Hashable, Sendable {
    /// The standard deviation in pixels, from 0 (changes nothing) to 1000.
    public var sigma: Double

    /// Creates the step.
    public init(sigma: Double) {
      self.sigma = sigma
    }

    static let parameter = StepNumber(step: "blur", name: "sigma", range: 0...1000)

    init(number: Double) { self.init(sigma: number) }

    var number: Double { sigma }

    /// Returns the blurred picture, of the same size.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a ``sigma`` out of its range and for lines of many
    ///   millions of pixels; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
    /// - Complexity: O(pixels) for every deviation.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      _ = try Self.parameter.checked(sigma)
      let bitmap = try bitmap.converted(to: .rgba8)
      guard sigma > 0 else { return bitmap }
      let coarse = Self.step(sigma: sigma)
      let columns = BlurGrid(samples: bitmap.width, step: coarse)
      let rows = BlurGrid(samples: bitmap.height, step: coarse)
      let alpha = bitmap.isOpaque ? CPX_ALPHA_OPAQUE : CPX_ALPHA_STRAIGHT
      let blurred = try bitmap.filtered(
        columns: try FilterBank(gaussian: sigma, samples: bitmap.width, grid: columns, pool: .shared),
        rows: try FilterBank(gaussian: sigma, samples: bitmap.height, grid: rows, pool: .shared),
        alpha: alpha, isOpaque: bitmap.isOpaque)
      guard coarse > 1 else { return blurred }
      return try blurred.filtered(
        columns: try FilterBank(interpolating: columns, samples: bitmap.width, pool: .shared),
        rows: try FilterBank(interpolating: rows, samples: bitmap.height, pool: .shared),
        alpha: alpha, isOpaque: bitmap.isOpaque)
    }

    /// Returns the distance of the computed means in pixels; pixels between are interpolated.
    ///
    /// No detail of a blurred picture is smaller than its deviation: four means per deviation leave an error below the
    /// precision of 8 bits, and the work does not grow with the deviation.
    static func step(sigma: Double) -> Int { sigma < 12 ? 1 : Int(sigma / 4) }
  }
}

extension ImageTransform {
  /// Blurs a picture with a Gaussian of this standard deviation in pixels, from 0 to 1000.
  public static func blur(sigma: Double) -> ImageTransform {
    ImageTransform(Transforms.GaussianBlur(sigma: sigma))
  }
}
