import CPixels
import Glibc

extension Transforms {
  /// An unsharp mask of the lightness of CIELAB, as libvips has it: colours do not shift, and flat areas stay.
  ///
  /// Differences from the blur of up to 2 units of lightness are ignored; beyond, they are tripled and added, at most 10
  /// units of lightening or 20 of darkening. The blur ends where the Gaussian falls below a tenth, and its weights are
  /// twentieths, so that deviations up to 0.46 change nothing. Alpha stays; pixels count by their alpha.
  public struct LightnessSharpen: ImageTransforming, NumberTransforming, Hashable, Sendable {
    /// The standard deviation of the blur in pixels, from 0 (changes nothing) to 20.
    public var sigma: Double

    /// Creates the step.
    public init(sigma: Double = 0.5) { self.sigma = sigma }

    static let parameter = StepNumber(step: "sharpenlightness", name: "sigma", range: 0...20, standard: 0.5)

    init(number: Double) { self.init(sigma: number) }

    var number: Double { sigma }

    /// Returns the sharpened picture, of the same size; the picture itself if the deviation is too small.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a ``sigma`` out of its range;
    ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
    /// - Complexity: O(pixels · sigma). Scratch memory is at most 2 MiB.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      _ = try Self.parameter.checked(sigma)
      let bitmap = try bitmap.converted(to: .rgba8)
      let weights = Self.weights(sigma: sigma)
      guard weights.count > 1 else { return bitmap }
      var lightness = cpx_lightness()
      lightness.width = bitmap.width
      lightness.height = bitmap.height
      lightness.linear = LinearLight.shared.tables.linear
      lightness.srgb = LinearLight.shared.tables.srgb
      lightness.radius = weights.count / 2
      (lightness.threshold, lightness.slope, lightness.brighten, lightness.darken) = (2, 3, 10, 20)
      lightness.opaque = bitmap.isOpaque ? 1 : 0
      lightness.columns = min(bitmap.width, Int(cpx_lightness_columns))
      let scratchSize = cpx_lightness_scratch(&lightness) * MemoryLayout<Float>.stride
      guard let scratch = PixelPool.shared.take(byteCount: scratchSize) else {
        throw .outOfMemory(byteCount: scratchSize)
      }
      defer { PixelPool.shared.giveBack(scratch) }
      lightness.scratch = scratch.bindMemory(to: Float.self).baseAddress
      return try Bitmap(size: bitmap.size) { (target: UnsafeMutableRawBufferPointer) throws(ImagingError) in
        lightness.target = target.bindMemory(to: UInt8.self).baseAddress
        try bitmap.withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImagingError) in
          lightness.source = source.bindMemory(to: UInt8.self).baseAddress
          try weights.withUnsafeBufferPointer { (weights) throws(ImagingError) in
            try CIELightness.roots.withUnsafeBufferPointer { (roots) throws(ImagingError) in
              lightness.weights = weights.baseAddress
              lightness.roots = roots.baseAddress
              try Self.run(&lightness)
            }
          }
        }
        return bitmap.isOpaque
      }
    }

    /// Makes the picture in strips of columns.
    private static func run(_ lightness: inout cpx_lightness) throws(ImagingError) {
      let (width, height) = (lightness.width, lightness.height)
      let strip = lightness.columns
      let batch = max(1, 1_000_000 / (strip * (lightness.radius + 1)))
      for left in stride(from: 0, to: width, by: strip) {
        lightness.left = left
        lightness.columns = min(strip, width - left)
        lightness.next_row = 0
        for row in stride(from: 0, to: height, by: batch) {
          if Task.isCancelled { throw .cancelled }
          cpx_lightness_rows(&lightness, row, min(row + batch, height))
        }
      }
    }

    /// Returns the weights of the blur, which sum to 1: twentieths of the Gaussian where that is a tenth or more.
    static func weights(sigma: Double) -> [Float] {
      guard sigma > 0 else { return [1] }
      func gaussian(_ distance: Int) -> Double {
        let x = Double(distance) / sigma
        return exp(-0.5 * x * x)
      }
      let side = (1...64).map(gaussian).prefix { $0 >= 0.1 }.map { ($0 * 20).rounded() }
      let all = side.reversed() + [20] + side
      let sum = all.reduce(0, +)
      return all.map { Float($0 / sum) }
    }
  }
}

extension ImageTransform {
  /// Sharpens the lightness of a picture, and leaves its colours and flat areas as they are.
  public static func lightnessSharpen(sigma: Double = 0.5) -> ImageTransform {
    ImageTransform(Transforms.LightnessSharpen(sigma: sigma))
  }
}
