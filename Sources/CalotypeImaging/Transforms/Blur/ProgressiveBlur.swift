import CPixels

extension Transforms {
  /// A Gaussian blur whose deviation grows along a direction, from 0 to ``sigma``.
  ///
  /// The picture is blurred by an eighth, a quarter, a half and all of the deviation; each pixel is a mix of two of
  /// these, whose weights have together the variance of the Gaussian of its place.
  public struct ProgressiveBlur: ImageTransforming, Hashable, Sendable {
    /// The standard deviation at the end in pixels, from 0 (changes nothing) to 1000.
    public var sigma: Double
    /// The direction, the start and the stop.
    public var ramp: Ramp

    /// Creates the step.
    public init(sigma: Double, ramp: Ramp = Ramp()) {
      self.sigma = sigma
      self.ramp = ramp
    }

    /// Parses `8,degrees=90,start=0.2,stop=0.8`; only the deviation is required.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      sigma = try arguments.required(arguments.number("sigma"), "sigma")
      ramp = try Ramp(&arguments)
      try arguments.finish()
      try check()
    }

    /// `progressiveblur:8,degrees=90`, without parameters that have their defaults.
    public var identity: String { "progressiveblur:\(sigma.spelling)" + ramp.suffix }

    /// The shares of the deviation by which the picture is blurred.
    private static let shares = [0.125, 0.25, 0.5, 1]

    /// Returns the blurred picture, of the same size.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters out of their ranges, and the errors of
    ///   ``Transforms/GaussianBlur``.
    /// - Complexity: O(pixels) for every deviation: the time of four blurs.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      guard sigma > 0 else { return bitmap }
      let line = ramp.line(in: bitmap.size)
      let largest = line.largestShare(in: bitmap.size)
      guard largest > 0 else { return bitmap }
      return try Bitmap(size: bitmap.size) { (target: UnsafeMutableRawBufferPointer) throws(ImagingError) in
        bitmap.withUnsafeBytes { target.copyMemory(from: $0) }
        var mix = cpx_ramp_mix()
        mix.pixels = target.bindMemory(to: UInt8.self).baseAddress
        mix.width = bitmap.width
        mix.ramp = line
        mix.opaque = bitmap.isOpaque ? 1 : 0
        for share in Self.shares where mix.from < largest {
          mix.to = share
          let blurred = try GaussianBlur(sigma: sigma * share).apply(to: bitmap)
          try Self.add(blurred, mix)
          mix.from = share
        }
        return bitmap.isOpaque
      }
    }

    /// Mixes a blur into the picture.
    private static func add(_ blurred: Bitmap, _ mix: cpx_ramp_mix) throws(ImagingError) {
      let batch = max(1, 1_000_000 / blurred.width)
      try blurred.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(ImagingError) in
        var mix = mix
        mix.other = bytes.bindMemory(to: UInt8.self).baseAddress
        for row in stride(from: 0, to: blurred.height, by: batch) {
          if Task.isCancelled { throw .cancelled }
          cpx_ramp_mix_rows(&mix, row, min(row + batch, blurred.height))
        }
      }
    }

    private func check() throws(ImagingError) {
      try sigma.require(in: 0...1000, "sigma", of: "progressiveblur")
      try ramp.check("progressiveblur")
    }
  }
}

extension cpx_ramp {
  /// Returns the largest share of a pixel; 0 or less if none has one.
  fileprivate func largestShare(in size: PixelSize) -> Double {
    origin + max(0, step_x * Double(size.width - 1)) + max(0, step_y * Double(size.height - 1))
  }
}

extension ImageTransform {
  /// Blurs the picture more and more along a direction, in degrees clockwise from downwards; `sigma` is the deviation at
  /// its end, in pixels.
  public static func progressiveBlur(
    sigma: Double, degrees: Double = 0, start: Double = 0, stop: Double = 1
  ) -> ImageTransform {
    ImageTransform(
      Transforms.ProgressiveBlur(
        sigma: sigma, ramp: Transforms.Ramp(degrees: degrees, start: start, stop: stop)))
  }
}
